import { loadStyles } from '../load-styles.ts'
import styles from '../styles/decisions.css?url'

let ready: Promise<void> | null = null

/** Once, whatever needs them first. */
export const loadDecisionStyles = (): Promise<void> => (ready ??= loadStyles(styles))
