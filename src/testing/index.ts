/** For tests: hosts in this process or another, a gated model, a stand-in model server, and a checker of a run. */
export * as ContractChecker from "./ContractChecker.ts"
export * as GatedModel from "./GatedModel.ts"
export * as LlamaAnswers from "./LlamaAnswers.ts"
export * as LlamaServer from "./LlamaServer.ts"
export * as MemoryStdio from "./MemoryStdio.ts"
export { ProcessHost, type ProcessHostOptions } from "./ProcessHost.ts"
export { StateDir } from "./StateDir.ts"
export * as TestHost from "./TestHost.ts"
