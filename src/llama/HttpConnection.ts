import type { Socket } from "node:net"
import { unbracketed } from "../domain/HostName.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import * as HttpReader from "./HttpReader.ts"
import type { LlamaError } from "./LlamaError.ts"

type Reason = LlamaError["reason"]

/** Who has sent a request and is told of its answer: first what has come, then that the read is over. */
export interface Receiver {
  readonly onConnect: () => void
  readonly onAnswer: (answer: HttpAnswer) => void
  /** The bytes are the connection's again afterwards. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** The answer's end, behind all that has come; the connection may carry another one from now on. */
  readonly onEnd: (failure: Reason | undefined) => void
  /** Whether to read on; otherwise nothing is read until `resume`. */
  readonly onRead: () => boolean
}

/** One connection to a server, which carries one request and its answer at a time. */
export interface HttpConnection {
  readonly origin: string
  /** Whether it has carried a request before. */
  readonly isUsed: () => boolean
  /** Whether it can carry one now. */
  readonly isIdle: () => boolean
  /** `text` is the whole request. */
  readonly send: (text: string, receiver: Receiver) => void
  /** Reads on, if this is still who is told of the answer. */
  readonly resume: (receiver: Receiver) => void
  /** Closes it, if this is still who is told of the answer. */
  readonly drop: (receiver: Receiver) => void
  readonly close: () => void
}

/** What one read takes at most, in bytes: the buffer is kept for all of them. */
const readBytes = 64 * 1024

/** A server that tells how long it keeps a connection may be about to close it. */
const idleMarginMs = 1000

/** Opens a connection to a server, `http:` or `https:`. It closes itself where it cannot be used again. */
export const open = (url: URL, onClose: (connection: HttpConnection) => void): HttpConnection => {
  let receiver: Receiver | undefined
  let reader = HttpReader.start
  let isUsed = false
  let idling: NodeJS.Timeout | undefined
  let idleUntil = 0

  const end = (told: Receiver, how: HttpReader.ReaderEnd) => {
    receiver = undefined
    if (how._tag === "Whole" && how.idleMs > idleMarginMs && socket.writableLength === 0) {
      isUsed = true
      idleUntil = Date.now() + how.idleMs - idleMarginMs
      idling = setTimeout(() => socket.destroy(), how.idleMs - idleMarginMs)
      idling.unref()
      socket.unref()
    } else {
      socket.destroy()
    }
    told.onEnd(how._tag === "Whole" ? undefined : how.reason)
  }

  const over = (error?: Error) => {
    const told = receiver
    if (told === undefined) return void socket.destroy()
    end(told, HttpReader.finish(reader, error === undefined ? undefined : describe(error)))
    told.onRead()
  }

  const take = (bytes: Buffer): boolean => {
    const told = receiver
    if (told === undefined) {
      // Nobody has asked.
      socket.destroy()
      return false
    }
    const step = HttpReader.push(reader, bytes)
    reader = step.state
    if (step.answer !== undefined) told.onAnswer(step.answer)
    // Who was told of an answer may have dropped the connection.
    if (step.bytes.length > 0 && receiver === told) told.onBytes(step.bytes)
    if (step.end !== undefined && receiver === told) end(told, step.end)
    return told.onRead() || receiver !== told
  }

  const buffer = Buffer.allocUnsafeSlow(readBytes)
  const socket = dial(url, {
    buffer,
    callback: (length) => take(buffer.subarray(0, length))
  })
  socket.on(isSecure(url) ? "secureConnect" : "connect", () => receiver?.onConnect())
  socket.on("error", over)
  socket.on("end", () => over())
  socket.on("close", () => {
    clearTimeout(idling)
    over()
    onClose(connection)
  })

  const connection: HttpConnection = {
    origin: url.origin,
    isUsed: () => isUsed,
    // By the clock on the wall: while a machine sleeps its timers do too, and servers elsewhere do not.
    isIdle: () => isUsed && receiver === undefined && !socket.destroyed && Date.now() < idleUntil,
    send: (text, told) => {
      clearTimeout(idling)
      receiver = told
      reader = HttpReader.start
      socket.ref()
      socket.write(text)
    },
    resume: (told) => {
      if (receiver === told) socket.resume()
    },
    drop: (told) => {
      if (receiver !== told) return
      receiver = undefined
      socket.destroy()
    },
    close: () => socket.destroy()
  }
  return connection
}

interface OnRead {
  readonly buffer: Uint8Array
  readonly callback: (length: number) => boolean
}

const isSecure = ({ protocol }: URL): boolean => protocol === "https:"

const dial = (url: URL, onread: OnRead): Socket => {
  const host = unbracketed(url.hostname)
  const port = url.port === "" ? (isSecure(url) ? 443 : 80) : Number(url.port)
  const net = process.getBuiltinModule("node:net")
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000, onread }
  if (!isSecure(url)) return net.connect(options)
  const servername = net.isIP(host) === 0 ? { servername: host } : {}
  return process.getBuiltinModule("node:tls").connect({ ...options, ...servername, ALPNProtocols: ["http/1.1"] })
}

/** A failed attempt at several addresses has no message of its own, and OpenSSL's is not for people. */
const describe = (error: Error): string => {
  const insecure = /:SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1]
  if (insecure !== undefined) return `no TLS: ${insecure}`
  const inner = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : []
  return inner.length > 0 ? inner.map((each) => each.message).join("; ") : error.message || error.name
}
