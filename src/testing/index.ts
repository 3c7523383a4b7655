/** For test harnesses: a host in the same process, a gated model, a stand-in server, and checks of the contract and of tools. */
export * as ContractChecker from "./ContractChecker.ts"
export * as GatedModel from "./GatedModel.ts"
export * as LlamaAnswers from "./LlamaAnswers.ts"
export * as LlamaServer from "./LlamaServer.ts"
export * as MemoryStdio from "./MemoryStdio.ts"
export * as TestHost from "./TestHost.ts"
export * as ToolConformance from "./ToolConformance.ts"
