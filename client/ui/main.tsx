import { render } from 'preact'
import './styles/index.css'
import './state/theme.ts'
import { Root } from './shell/root.tsx'
import { checkIdentity } from './state/identity.ts'

void checkIdentity()

render(<Root />, document.getElementById('root')!)
