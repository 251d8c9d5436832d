/** CommonJS takes a module with `import()`. */
import type { RwSem } from 'rwsem' with { 'resolution-mode': 'import' };

export async function make(): Promise<RwSem> {
  const { RwSem } = await import('rwsem');
  return RwSem.create();
}
