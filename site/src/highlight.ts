/** Code in colours, for light and dark pages alike. Done once, so that pages need no script for it. */
import { createHighlighter } from 'shiki';
import { escape } from '../../packages/lab/dist/report/html.js';

const LANGUAGES = ['c', 'css', 'html', 'javascript', 'json', 'rust', 'shellscript', 'typescript', 'yaml'] as const;
const BY_NAME: Record<string, (typeof LANGUAGES)[number]> = {
  c: 'c', css: 'css', html: 'html', js: 'javascript', json: 'json', rs: 'rust', sh: 'shellscript', ts: 'typescript', yaml: 'yaml', yml: 'yaml',
};

/** HTML of code in a language that is named as after a fence or by a file's extension; unknown ones stay plain. */
export type Highlight = (code: string, language: string) => string;

export async function loadHighlighter(): Promise<Highlight> {
  const themes = { light: 'github-light', dark: 'github-dark' };
  const highlighter = await createHighlighter({ themes: Object.values(themes), langs: [...LANGUAGES] });
  return (code, language) => {
    const lang = BY_NAME[language];
    if (lang === undefined) return `<pre tabindex="0"><code>${escape(code)}</code></pre>`;
    return highlighter.codeToHtml(code.trimEnd(), { lang, themes, defaultColor: 'light-dark()' });
  };
}
