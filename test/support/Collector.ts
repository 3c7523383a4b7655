import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** A span as it came over the wire, its attributes as a record. */
export interface CollectedSpan {
  readonly traceId: string
  readonly id: string
  readonly parent: string | undefined
  readonly name: string
  /** Nanoseconds. */
  readonly start: bigint
  readonly end: bigint
  /** 0: unset, 1: well, 2: an error. */
  readonly status: number
  readonly attributes: { readonly [key: string]: unknown }
}

export interface CollectedMetric {
  readonly name: string
  readonly points: ReadonlyArray<{ readonly attributes: { readonly [key: string]: unknown }; readonly count: number }>
}

/** A small OTLP collector. */
export class Collector {
  readonly requests: Array<{ readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }> = []
  connections = 0
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** Answers, or takes the connection and never says a word. */
  static async start(options: { readonly hangs?: boolean } = {}): Promise<Collector> {
    const server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8").on("data", (part: string) => (text += part))
      request.on("end", () => {
        collector.requests.push({ path: request.url ?? "", headers: request.headers, text })
        if (options.hangs !== true) response.setHeader("content-type", "application/json").end("{}")
      })
    })
    const collector = new Collector(server)
    server.on("connection", () => collector.connections++)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get spans(): ReadonlyArray<CollectedSpan> {
    return this.#bodies("/v1/traces")
      .flatMap((body) => body.resourceSpans)
      .flatMap((resource) => resource.scopeSpans)
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        traceId: span.traceId,
        id: span.spanId,
        parent: span.parentSpanId,
        name: span.name,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        status: span.status.code,
        attributes: recordOf(span.attributes)
      }))
  }

  /** What was sent last of each metric. */
  get metrics(): ReadonlyArray<CollectedMetric> {
    const found = this.#bodies("/v1/metrics")
      .flatMap((body) => body.resourceMetrics)
      .flatMap((resource) => resource.scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .map((metric) => ({
        name: metric.name,
        points: (metric.histogram ?? metric.sum).dataPoints.map((point: any) => ({
          attributes: recordOf(point.attributes),
          count: point.count ?? point.asDouble
        }))
      }))
    return [...new Map(found.map((metric) => [metric.name, metric])).values()]
  }

  get resources(): ReadonlyArray<{ readonly [key: string]: unknown }> {
    return this.requests.map(({ text }) => {
      const body = JSON.parse(text)
      return recordOf((body.resourceSpans ?? body.resourceMetrics)[0].resource.attributes)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #bodies(path: string): ReadonlyArray<any> {
    return this.requests.filter((request) => request.path === path).map(({ text }) => JSON.parse(text))
  }
}

const recordOf = (attributes: ReadonlyArray<{ readonly key: string; readonly value: any }>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

const valueOf = (value: any): unknown =>
  value.arrayValue === undefined ? Object.values(value)[0] : value.arrayValue.values.map(valueOf)
