/** An element with a class and what is in it. Text is text: nothing here ever reads HTML. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  if (className !== "") made.className = className
  made.append(...children)
  return made
}

/** Sets a text; one that has only grown is grown, so that a selection in it stays. */
export const setText = (node: Element, text: string): void => {
  const [child] = node.childNodes
  if (!(child instanceof Text)) return void (node.textContent = text)
  if (child.data === text) return
  if (text.length > child.length && text.startsWith(child.data)) return child.appendData(text.slice(child.length))
  child.data = text
}

export const setClass = (node: Element, name: string): void => {
  if (node.className !== name) node.className = name
}

export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no ${id}`)
  return element
}
