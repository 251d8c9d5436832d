/** `npm run install:spin`: what the second engine of the checker needs. */
import { installTools } from './tools.ts';

const missing = installTools((text) => console.error(text));
console.error(missing.length === 0 ? 'spin and gcc are there' : `without ${missing.join(' and ')} the engine spin cannot run`);
process.exitCode = missing.length === 0 ? 0 : 1;
