/** What a person typed at an approval: yes, no, no and why; undefined where it is neither. */
export const readAnswer = (text: string): { readonly approved: boolean; readonly reason?: string } | undefined => {
  const [, word = "", rest = ""] = /^\s*([a-z]+)[\s,:]*(.*?)\s*$/is.exec(text) ?? []
  if (/^(y|yes)$/i.test(word) && rest === "") return { approved: true }
  if (!/^(n|no)$/i.test(word)) return undefined
  return rest === "" ? { approved: false } : { approved: false, reason: rest }
}
