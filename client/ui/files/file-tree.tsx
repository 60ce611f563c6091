import { useComputed, useSignal } from '@preact/signals'
import { Icon } from '../shell/icon.tsx'
import { toTree, toTreeRows, type TreeRow } from './tree.ts'
import { countFiles, formatSize } from './words.ts'
import type { WorkspaceModel } from './workspace-model.ts'

export function FileTree({ model }: { model: WorkspaceModel }) {
  const closed = useSignal<ReadonlySet<string>>(new Set())
  const tree = useComputed(() => toTree(model.list.value?.files ?? []))
  const rows = useComputed(() => toTreeRows(tree.value, closed.value))
  const list = model.list.value
  const toggle = (path: string): void => {
    const next = new Set(closed.peek())
    if (!next.delete(path)) next.add(path)
    closed.value = next
  }
  if (list === null) return <p class="files-note">Loading…</p>
  if (list.files.length === 0) {
    return (
      <p class="files-note">
        No files yet. The agent can write some, or drop yours here; a zip is unpacked.
      </p>
    )
  }
  return (
    <>
      <ul class="file-tree" aria-label="Files">
        {rows.value.map((row) => (
          <Row
            key={`${row.node.kind}:${row.node.path}`}
            row={row}
            isOpen={!closed.value.has(row.node.path)}
            isCurrent={model.path.value === row.node.path}
            onPress={() =>
              row.node.kind === 'folder'
                ? toggle(row.node.path)
                : void openFile(model, row.node.path)
            }
          />
        ))}
      </ul>
      <p class="files-note">
        {`${countFiles(list.files.length)}, ${formatSize(list.bytes)} of ${formatSize(list.limit)}`}
      </p>
    </>
  )
}

/** What is typed and not saved stays: another file is opened after it was saved or left. */
async function openFile(model: WorkspaceModel, path: string): Promise<void> {
  if (model.isDirty.peek()) model.problem.value = 'Save or cancel what you are editing first.'
  else await model.open(path)
}

type RowProps = { row: TreeRow; isOpen: boolean; isCurrent: boolean; onPress: () => void }

function Row({ row: { node, depth }, isOpen, isCurrent, onPress }: RowProps) {
  const isFolder = node.kind === 'folder'
  return (
    <li>
      <button
        type="button"
        class="tree-row"
        style={{ paddingLeft: `${0.5 + depth * 0.9}rem` }}
        data-tree={node.path}
        aria-current={isCurrent ? 'true' : undefined}
        {...(isFolder ? { 'aria-expanded': isOpen } : {})}
        onClick={onPress}
      >
        <Icon name={isFolder ? 'chevron' : 'file'} />
        <span class="file-name">{node.name}</span>
        <span class="file-size">{isFolder ? node.files : formatSize(node.size)}</span>
      </button>
    </li>
  )
}
