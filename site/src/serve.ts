/** Usage: node build/serve.js [port]. Serves the built site with the headers of cross-origin isolation until it is stopped. */
import { serve } from './server.ts';

const port = Number(process.argv[2] ?? 8080);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`The port must be a number from 0 to 65535, not ${process.argv[2]}: npm run site:serve -- 8080`);
  process.exit(2);
}
try {
  const { address } = await serve({ isolated: true, port });
  console.log(`${address} (Ctrl+C ends it)`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(code === 'EADDRINUSE' ? `Port ${port} is taken; name another: npm run site:serve -- ${port + 1}` : message);
  process.exit(1);
}
