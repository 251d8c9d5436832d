/** What the suites use of `node:events`. Pages do not tell who listens, so this counts from here on. */

type Entry = { listener: unknown; once: boolean };

const entries = new WeakMap<EventTarget, Map<string, Entry[]>>();
const { addEventListener, removeEventListener } = EventTarget.prototype;

function of(target: EventTarget, type: string): Entry[] {
  const types = entries.get(target) ?? new Map<string, Entry[]>();
  entries.set(target, types);
  const list = types.get(type) ?? [];
  types.set(type, list);
  return list;
}

function drop(target: EventTarget, type: string, listener: unknown): void {
  const list = of(target, type);
  const at = list.findIndex((entry) => entry.listener === listener);
  if (at >= 0) list.splice(at, 1);
}

AbortSignal.prototype.addEventListener = function (this: AbortSignal, type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions) {
  const once = typeof options === 'object' && options.once === true;
  const list = of(this, type);
  if (!list.some((entry) => entry.listener === listener)) {
    list.push({ listener, once });
    if (once) addEventListener.call(this, type, () => drop(this, type, listener), { once: true });
  }
  addEventListener.call(this, type, listener, options);
};

AbortSignal.prototype.removeEventListener = function (this: AbortSignal, type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions) {
  drop(this, type, listener);
  removeEventListener.call(this, type, listener, options);
};

export function getEventListeners(target: EventTarget, type: string): unknown[] {
  return of(target, type).map(({ listener }) => listener);
}

export function once(target: { once(event: string, listener: (value: unknown) => void): unknown }, event: string): Promise<unknown[]> {
  return new Promise((resolve) => target.once(event, (value) => resolve([value])));
}
