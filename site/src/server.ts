/** Serves the built site, in a folder as pages of a project are, with the headers of cross-origin isolation or without. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sirv from 'sirv';
import { output } from './paths.ts';

export interface Server {
  /** Of the site's first page. */
  address: string;
  close(): Promise<void>;
}

const FOLDER = '/rwsem/';

export async function serve({ isolated, port = 0 }: { isolated: boolean; port?: number }): Promise<Server> {
  if (!existsSync(join(output, 'index.html'))) throw new Error('there is no site yet; make it with "npm run site"');
  const files = sirv(output, {
    dev: true, // looks at the files at every request: the site may be built again meanwhile
    setHeaders(response) {
      if (!isolated) return;
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    },
  });
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    if (!url.startsWith(FOLDER)) return void response.writeHead(302, { Location: FOLDER }).end();
    request.url = url.slice(FOLDER.length - 1);
    files(request, response, () => void response.writeHead(404).end('There is no such page.'));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve));
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}${FOLDER}`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}
