/**
 * The id of a call on the model's wire: nine letters and digits, since templates of Mistral refuse any other. It is made of
 * the call's own id alone, so that a history is sent with the same ids in every request, after a restart too. Of ten
 * thousand calls two have the same id in one of a hundred million sessions.
 */
export const wireId = (callId: string): string => {
  let [one, other] = [0x811c9dc5, 0x9e3779b1]
  for (let at = 0; at < callId.length; at += 1) {
    const code = callId.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b)
    other ^= other >>> 15
  }
  one = mixed(one ^ (other >>> 7))
  other = mixed(other ^ one)
  // 53 bits, which a number holds exactly and nine characters of 62 kinds hold too.
  let rest = (one >>> 0) * 0x20_0000 + (other >>> 11)
  let id = ""
  while (id.length < 9) {
    id += alphabet[rest % 62]
    rest = Math.floor(rest / 62)
  }
  return id
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

const mixed = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
