/** The reference of the public names, made by TypeDoc from the doc comments of the sources. */
import { join } from 'node:path';
import { Application, PageEvent } from 'typedoc';
import { output, repository } from './paths.ts';
import { NAVIGATION, relativeLink } from './template.ts';

const FOLDER = 'api';
/** TypeDoc writes links of the header as they are given, on pages at any depth. */
const SITE = 'site:';

export async function writeReference(): Promise<void> {
  const library = join(repository, 'packages/rwsem');
  const application = await Application.bootstrap({
    name: 'rwsem',
    includeVersion: true,
    entryPoints: [join(library, 'src/index.ts')],
    tsconfig: join(library, 'tsconfig.json'),
    readme: 'none',
    excludePrivate: true,
    excludeInternal: true,
    disableSources: true,
    hideGenerator: true,
    githubPages: false,
    navigationLinks: Object.fromEntries(NAVIGATION.map(([title, page]) => [title, SITE + page])),
    titleLink: `${SITE}index.html`,
    treatWarningsAsErrors: true,
  });
  application.renderer.on(PageEvent.END, (page: PageEvent) => {
    page.contents = (page.contents ?? '').replaceAll(/"site:([^"]+)"/g, (_, to: string) => `"${relativeLink(`${FOLDER}/${page.url}`, to)}"`);
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources; it has said why');
  await application.generateDocs(project, join(output, FOLDER));
  if (application.logger.hasErrors() || application.logger.hasWarnings()) {
    throw new Error('TypeDoc has something to say about the doc comments; mend them');
  }
}
