/**
 * What a simulated workload asks of its machine. Never called: the lowering puts the machine in the place
 * of these declarations.
 */

export declare function nextOperation(): number;
/** The lock has been acquired, or is about to be released. Takes no time. */
export declare function entered(kind: number): void;
export declare function leaving(kind: number): void;
/** The critical section, and the pause after it. */
export declare function hold(kind: number): void;
export declare function think(): void;
