/**
 * What a test harness swaps in: hosts in this process and of another one, models that are gated or stand in for a server,
 * and what checks a run; with a host that acts at random, reproducibly.
 */
export * as ContractChecker from "./ContractChecker.ts"
export * as GatedModel from "./GatedModel.ts"
export * as HostActs from "./runs/HostActs.ts"
export * as HostRun from "./runs/HostRun.ts"
export * as LlamaAnswers from "./LlamaAnswers.ts"
export * as LlamaServer from "./LlamaServer.ts"
export * as MemoryStdio from "./MemoryStdio.ts"
export { ProcessHost, type ProcessHostOptions } from "./ProcessHost.ts"
export { RandomHost, type RandomHostOptions } from "./runs/RandomHost.ts"
export * as RunChecker from "./runs/RunChecker.ts"
export { SeededRandom } from "./runs/SeededRandom.ts"
export { StateDir } from "./StateDir.ts"
export * as TestHost from "./TestHost.ts"
export * as ToolConformance from "./ToolConformance.ts"
