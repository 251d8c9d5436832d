/** The packages of this folder's manifest, which may not be installed: only what is used of them, loaded when it is. */

export interface ModuleLexer {
  init: Promise<void>;
  /** `start`, `end`: where the specifier is, with its quotes if the import is dynamic. */
  parse(source: string): readonly [readonly { type: string; start: number; end: number; specifier?: string | null }[], ...unknown[]];
}

interface Bundler {
  build(options: object): Promise<{ outputFiles: { text: string }[] }>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  evaluate<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

export interface Browser {
  newPage(): Promise<Page>;
  version(): Promise<string>;
  close(): Promise<void>;
}

interface Driver {
  launch(options: {
    browser: 'chrome' | 'firefox';
    executablePath: string;
    headless: boolean;
    args: string[];
    protocolTimeout: number;
  }): Promise<Browser>;
}

// Not literal, so that the repository can be built without them.
const load = async <T>(name: string): Promise<T> => (await import(name)) as T;

export const moduleLexer = (): Promise<ModuleLexer> => load('es-module-lexer');
export const bundler = (): Promise<Bundler> => load('esbuild');
export const driver = (): Promise<Driver> => load('puppeteer-core');
