/** The conformance suite on an engine that has no `Atomics.waitAsync`, as some had none for long: async waiters look by themselves. */
delete (Atomics as { waitAsync?: unknown }).waitAsync;

// Only now: the library looks when it is loaded.
const { RwSem } = await import('rwsem');
const { conformance } = await import('./conformance.ts');
const { endsByItself } = await import('./helpers/agents.ts');

conformance('a lock without Atomics.waitAsync', (capacities) => RwSem.create(capacities));

endsByItself();
