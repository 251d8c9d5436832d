/** Will a browser isolate the page of this address, so that it gets shared memory? Read from the headers. */
import { bad, type Finding, good, note } from './finding.ts';

const LIMIT_MS = 10_000;
const COOP = 'Cross-Origin-Opener-Policy';
const COEP = 'Cross-Origin-Embedder-Policy';
const CORP = 'Cross-Origin-Resource-Policy';

export async function checkPage(page: URL, workers: URL[], resources: URL[]): Promise<Finding[]> {
  const found = await get(page);
  if ('failure' in found) return [found.failure];
  return [
    good('page', `${found.status} ${found.url}`),
    secure(found.url),
    opener(found.headers),
    embedder(COEP, found.headers),
    permission(found.headers),
    ...(await Promise.all(workers.map((url) => worker(url, found.url)))).flat(),
    ...(await Promise.all(resources.map((url) => resource(url, found.url)))),
  ];
}

interface Answer {
  /** After redirects. */
  url: URL;
  status: number;
  headers: Headers;
}

async function get(url: URL): Promise<Answer | { failure: Finding }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    await response.body?.cancel();
    if (!response.ok) return { failure: bad(url.href, `status ${response.status}`, 'give an address that the server has: error pages have other headers') };
    return { url: new URL(response.url), status: response.status, headers: response.headers };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return { failure: bad(url.href, cause?.message || message, 'start the server, or mend the address') };
  }
}

function secure({ protocol, hostname, href }: URL): Finding {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);
  return protocol === 'https:' || isLocal
    ? good('secure', protocol === 'https:' ? 'https' : `${hostname} counts as secure`)
    : bad('secure', href, 'serve it by https: browsers isolate nothing else, but for localhost');
}

/** The token of a header, without its parameters. Sent twice, a header counts as not sent. */
function token(headers: Headers, name: string): string {
  return (headers.get(name) ?? '').split(';')[0]?.trim() ?? '';
}

function otherThan(headers: Headers, name: string, wanted: string): Finding {
  const value = headers.get(name);
  const send = `send '${name}: ${wanted}'`;
  if (value?.includes(',')) return bad(name, value, `${send} once: browsers ignore a header that comes twice`);
  if (value !== null) return bad(name, value, `${send} instead`);
  return headers.has(`${name}-Report-Only`)
    ? bad(name, 'only as Report-Only, which changes nothing', `${send} as well`)
    : bad(name, 'not sent', send);
}

function opener(headers: Headers): Finding {
  return token(headers, COOP) === 'same-origin' ? good(COOP, 'same-origin') : otherThan(headers, COOP, 'same-origin');
}

function embedder(what: string, headers: Headers): Finding {
  const value = token(headers, COEP);
  if (value === 'require-corp') return good(what, value);
  if (value === 'credentialless') return note(what, value, "Safari does not know it: send 'require-corp' if Safari matters");
  return { ...otherThan(headers, COEP, 'require-corp'), what };
}

function permission(headers: Headers): Finding {
  const value = headers.get('Permissions-Policy') ?? '';
  return /cross-origin-isolated\s*=\s*\(\s*\)/.test(value)
    ? bad('Permissions-Policy', value, "remove 'cross-origin-isolated=()': it takes the isolation back")
    : good('Permissions-Policy', 'does not forbid isolation');
}

/** A worker of an isolated page needs the embedder policy of its own, or it does not load. */
async function worker(url: URL, page: URL): Promise<Finding[]> {
  const answer = await get(url);
  if ('failure' in answer) return [answer.failure];
  const what = `worker ${url.pathname}`;
  const type = token(answer.headers, 'Content-Type');
  const isScript = /^(text|application)\/(x-)?(java|ecma)script$/.test(type);
  return [
    answer.url.origin === page.origin ? good(what, 'same origin') : bad(what, answer.url.origin, `serve it from ${page.origin}: a worker's script has to be of the page's origin`),
    isScript ? good(`${what}, type`, type) : bad(`${what}, type`, type || 'not sent', "send 'Content-Type: text/javascript'"),
    embedder(`${what}, ${COEP}`, answer.headers),
  ];
}

/** What an isolated page takes from elsewhere has to allow it. */
async function resource(url: URL, page: URL): Promise<Finding> {
  const answer = await get(url);
  if ('failure' in answer) return answer.failure;
  const what = `resource ${url.href}`;
  if (answer.url.origin === page.origin) return good(what, 'same origin');
  const policy = token(answer.headers, CORP);
  if (policy === 'cross-origin') return good(what, `${CORP}: cross-origin`);
  if (policy === 'same-site') return note(what, `${CORP}: same-site`, `works if both are of one site; else send '${CORP}: cross-origin'`);
  const allowed = answer.headers.get('Access-Control-Allow-Origin');
  if (allowed === '*' || allowed === page.origin) return note(what, `Access-Control-Allow-Origin: ${allowed}`, "works if it is fetched with CORS (fetch, import, crossorigin attribute)");
  return bad(what, policy === '' ? `no ${CORP}` : `${CORP}: ${policy}`, `send '${CORP}: cross-origin' with it`);
}
