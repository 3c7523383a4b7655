/**
 * For tests: hosts in this process or another, a gated model, a stand-in model server, checkers of a run, and a seeded
 * random host.
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
