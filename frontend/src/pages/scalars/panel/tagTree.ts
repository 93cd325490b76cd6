/** A tree of tags by the slashes in their names, and its visible rows. Pure; drawn by TagTree.vue. */
import { byName } from '../../../components/lists/tagNames'
import { sized } from '../../../components/browser/rem'

export interface TreeNode {
  /** The path from the root, with slashes; `train` for everything below it. */
  path: string
  /** The last part. */
  name: string
  /** Number of tags at and below it. */
  count: number
  /** Whether it is a tag itself. */
  tag: boolean
  children: TreeNode[]
}

export interface TreeRow {
  key: string
  height: number
  node: TreeNode
  level: number
  open: boolean
}

export const ROW_HEIGHT = sized(26)

function childOf(parent: { path: string; children: TreeNode[] }, name: string, known: Map<string, TreeNode>): TreeNode {
  const path = parent.path ? `${parent.path}/${name}` : name
  let node = known.get(path)
  if (!node) {
    node = { path, name, count: 0, tag: false, children: [] }
    known.set(path, node)
    parent.children.push(node)
  }
  return node
}

/** The tree of tags; children sorted by name. */
export function makeTree(tags: readonly string[]): TreeNode[] {
  const root: TreeNode = { path: '', name: '', count: 0, tag: false, children: [] }
  const known = new Map<string, TreeNode>()
  for (const tag of [...tags].sort(byName)) {
    let node = root
    for (const part of tag.split('/')) {
      node = childOf(node, part, known)
      node.count++
    }
    node.tag = true
  }
  return root.children
}

/** The visible rows: those whose ancestors are all open. */
export function openRows(tree: readonly TreeNode[], open: ReadonlySet<string>, level = 0): TreeRow[] {
  const rows: TreeRow[] = []
  for (const node of tree) {
    const isOpen = node.children.length > 0 && open.has(node.path)
    rows.push({ key: node.path, height: ROW_HEIGHT, node, level, open: isOpen })
    if (isOpen) for (const row of openRows(node.children, open, level + 1)) rows.push(row)
  }
  return rows
}

/** Every path that has children, for a search to open. */
export function allPaths(tree: readonly TreeNode[]): string[] {
  return tree.flatMap((node) => (node.children.length ? [node.path, ...allPaths(node.children)] : []))
}

/** The filter for a row: all tags below a prefix, or one tag. */
export function filterOf({ path, tag, children }: TreeNode): string {
  const literal = path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return tag && !children.length ? `^${literal}$` : `^${literal}/`
}
