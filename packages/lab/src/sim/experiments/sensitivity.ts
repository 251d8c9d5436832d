/** Each figure of a machine halved and doubled: which of our guesses a result rests on. */
import { scaled, type FigureName, type MachineModel } from '../machine/model.ts';
import type { Scale, Sensitivity } from './experiment.ts';

export function sensitivityOf(what: string, model: MachineModel, scale: Scale, measure: (model: MachineModel) => number): Sensitivity | null {
  if (!scale.sensitivity) return null;
  const base = measure(model);
  const names = (Object.keys(model.figures) as FigureName[]).filter((name) => model.figures[name].value !== 0);
  const rows = names.map((figure) => ({
    figure,
    half: measure(scaled(model, figure, 0.5)),
    double: measure(scaled(model, figure, 2)),
  }));
  return { what, base, rows: rows.filter(({ half, double }) => half !== base || double !== base) };
}
