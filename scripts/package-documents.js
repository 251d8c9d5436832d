// Usage: node scripts/package-documents.js add|remove <package folder>
// The documents of the repository go into the published package; they are there only while it is packed.
import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCUMENTS = ['README.md', 'DESIGN.md', 'CHANGELOG.md', 'LICENSE'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const [action, folder] = process.argv.slice(2);
if ((action !== 'add' && action !== 'remove') || folder === undefined) {
  console.error('Usage: node scripts/package-documents.js add|remove <package folder>');
  process.exit(2);
}
for (const name of DOCUMENTS) {
  if (action === 'add') copyFileSync(join(root, name), join(folder, name));
  else rmSync(join(folder, name), { force: true });
}
