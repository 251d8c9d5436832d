/** Imports a package that is installed in this directory. */
export const load = (name) => import(name);
