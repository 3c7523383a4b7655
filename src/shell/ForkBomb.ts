const bombWindow = 200

/** True for `f() { f | f & }; f` under any name, and for its equivalents in other languages. */
export const isForkBomb = (source: string): boolean => {
  const dense = source.replaceAll(/\s+/g, "").replaceAll("function", "")
  for (const { 1: name = "", index } of dense.matchAll(/([^(){};|&'"`$<>]{1,40})(?:\(\))?\{/g)) {
    const body = dense.slice(index + name.length, index + name.length + bombWindow)
    for (const joint of ["|", "|&", "&"]) {
      if (body.includes(`${name}${joint}${name}`)) return true
    }
  }
  return /\bfork\s?(?:\(\s?\))?\s?while\b|\bwhile\s?\(?\s?(?:1|true)\s?\)?\s?[:;{]?\s?(?:os\.)?fork\b|\$0\s?[|&]\s?\$0\s?&/i.test(
    source
  )
}
