/** What is drawn of one item, and how it is drawn anew. */
export interface Drawn<T> {
  readonly node: HTMLElement
  /** Draws a later state of the same item. */
  readonly update: (item: T) => void
}

/**
 * Draws a list into an element: new items are made, those that changed are updated, those that are gone are removed,
 * and what is equal is not touched, so that focus, selection and scroll positions stay. Items never change their order.
 */
export const keyed = <T extends { readonly key: string }>(parent: HTMLElement, draw: (item: T) => Drawn<T>) => {
  const drawn = new Map<string, { item: T } & Drawn<T>>()
  return (items: ReadonlyArray<T>): void => {
    const keys = new Set(items.map(({ key }) => key))
    for (const [key, { node }] of drawn) {
      if (keys.has(key)) continue
      node.remove()
      drawn.delete(key)
    }
    for (const item of items) {
      const known = drawn.get(item.key)
      if (known === undefined) {
        const made = draw(item)
        parent.append(made.node)
        drawn.set(item.key, { item, ...made })
      } else if (known.item !== item) {
        known.item = item
        known.update(item)
      }
    }
  }
}
