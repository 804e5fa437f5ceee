import type { CommonFact, VersionHealth } from './schemas/item-errors-api.ts';

type Failing = Pick<VersionHealth, 'sites' | 'sites_failing'> & {
  version: string;
  common_facts: Pick<CommonFact, 'kind' | 'name'>[];
};

/** A version that fails, as one sentence: "4.0.2 fails on 3 of 12 sites, all with PHP 8.3." */
export function describeFailingVersion({
  version,
  sites,
  sites_failing,
  common_facts,
}: Failing): string {
  const names = common_facts.map(({ kind, name }) =>
    kind === 'plugin' ? `the plugin ${name}` : name,
  );
  const list = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
  const facts = list === '' ? '' : `, ${sites_failing === 1 ? '' : 'all '}with ${list}`;
  return `${version} fails on ${sites_failing} of ${sites} ${sites === 1 ? 'site' : 'sites'}${facts}.`;
}
