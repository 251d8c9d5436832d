/** What the benchmark uses of `node:os`, in a browser. */
export const availableParallelism = (): number => navigator.hardwareConcurrency;
