import type { RolloutSite, RolloutSummary } from '@steward/contract';
import type { Command } from 'commander';
import { OPERATOR } from '../features/site-access/index.ts';
import { parseRolloutId } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type JsonOption = { json?: true };
type Shown = { rollout: RolloutSummary; sites: RolloutSite[] };

/** Adds the decisions about a rollout that waits for proof. `rollout cancel` ends it. */
export function addProofCommands(
  rollout: Command,
  context: CommandContext,
  print: (shown: Shown) => void,
): void {
  rollout
    .command('canaries')
    .description('choose other canaries for a rollout that waits for proof: they are updated first')
    .argument('<id>', 'rollout id', parseRolloutId)
    .argument('<site...>', 'sites of later rings, by address or id')
    .option('--json', 'print one JSON document')
    .action(async (id: number, wanted: string[], { json }: JsonOption) => {
      const changed = await context.withPanel(async ({ services }) => {
        const found = await services.rollouts.show(OPERATOR, id);
        const siteIds = wanted.map((text) => findLaterSite(found, text));
        await services.rollouts.chooseCanaries(OPERATOR, id, siteIds, COMMAND_LINE);
        return services.rollouts.show(OPERATOR, id);
      });
      if (json) return context.printJson(changed);
      print(changed);
    });

  rollout
    .command('continue')
    .description('start the next ring of a rollout that waits for proof; the reason is recorded')
    .argument('<id>', 'rollout id', parseRolloutId)
    .requiredOption('--reason <text>', 'why the ring needs no proof')
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json, reason }: JsonOption & { reason: string }) => {
      if (reason.trim() === '') throw new Error('Enter a reason.');
      const changed = await context.withPanel(async ({ services }) => {
        await services.rollouts.continueWithoutProof(OPERATOR, id, reason, COMMAND_LINE);
        return services.rollouts.show(OPERATOR, id);
      });
      if (json) return context.printJson(changed);
      print(changed);
    });
}

/** A site with a display name is listed as "Shop (shop.example.com)". */
function findLaterSite({ rollout, sites }: Shown, text: string): number {
  const wanted = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?|\/+$/g, '');
  const found = sites.filter(
    ({ site_id, name, ring }) =>
      ring > rollout.ring &&
      (String(site_id) === wanted || name === wanted || name.endsWith(`(${wanted})`)),
  );
  const [site] = found;
  if (!site)
    throw new Error(`The later rings of rollout ${rollout.rollout_id} have no site ${text}.`);
  // Two licenses may have a site with the same address.
  if (found.length > 1) throw new Error(`Several sites have the address ${text}. Use the id.`);
  return site.site_id;
}

/** The lines of `rollout show` about proof. */
export function describeProof({ rollout }: Shown): string[] {
  const { rollout_id: id, halt_code, split_from, split_into, proof_exceptions, rings } = rollout;
  const ringName = (wanted: number) => rings.find(({ position }) => position === wanted)?.name;
  return [
    ...(split_from === null ? [] : [`The other updates continue in: rollout ${split_from}`]),
    ...split_into.map((other) => `Stopped for lack of proof: see rollout ${other}`),
    ...proof_exceptions.map(
      ({ ring, reason, by, at }) =>
        `Continued without proof of the ring ${ringName(ring)}: ${reason} (${by ?? 'command line'}, ${at})`,
    ),
    ...(halt_code === 'waits_for_proof'
      ? [
          'Next steps:',
          `  steward rollout canaries ${id} SITE…           sites of later rings prove the version`,
          `  steward rollout continue ${id} --reason TEXT   the next ring starts without proof`,
          `  steward rollout resume ${id}                   after a retry: check this ring again`,
          `  steward rollout cancel ${id}                   end the rollout`,
        ]
      : []),
  ];
}
