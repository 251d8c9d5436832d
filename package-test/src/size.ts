/** Usage: node dist/size.js [limit in bytes]. What the whole lock adds to a page, minified and gzipped; fails above the limit. */
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Recorded 10,573 bytes with esbuild 0.28.2 on 2026-12-03; the aim is 6,000. Lower it with every saving. */
const LIMIT_BYTES = 10_600;

const limit = process.argv[2] === undefined ? LIMIT_BYTES : Number(process.argv[2]);
if (!Number.isInteger(limit) || limit < 1) {
  console.error(`The limit must be a whole number of bytes, not ${process.argv[2]}: npm run size -- 10600`);
  process.exit(2);
}

const folder = fileURLToPath(new URL('../../packages/rwsem/dist/', import.meta.url));
const { outputFiles, metafile } = await build({
  stdin: { contents: "export * from './index.js';", resolveDir: folder },
  absWorkingDir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
  metafile: true,
});
const code = outputFiles[0]?.contents ?? new Uint8Array();
const gzip = gzipSync(code, { level: 9 }).length;

const parts = new Map<string, number>();
for (const output of Object.values(metafile.outputs)) {
  for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
    const part = file.includes('/') ? `${file.split('/')[0]}/` : file;
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
  }
}
for (const [part, bytes] of [...parts].sort((a, b) => b[1] - a[1])) {
  if (bytes > 0) console.log(`${bytes.toLocaleString('en').padStart(8)}  ${part}`);
}
console.log(`${code.length.toLocaleString('en').padStart(8)}  minified`);
console.log(`${brotliCompressSync(code).length.toLocaleString('en').padStart(8)}  minified, brotli`);
console.log(`${gzip.toLocaleString('en').padStart(8)}  minified, gzip; the limit is ${limit.toLocaleString('en')}`);
if (gzip > limit) {
  console.error(`Too large by ${gzip - limit} bytes: make it smaller, or say in the commit why the limit rises.`);
  process.exit(1);
}
