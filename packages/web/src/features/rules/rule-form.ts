import {
  CORE_SLUG,
  type CreateRuleRequest,
  type describeRule,
  type RuleAspect,
  type RuleLevel,
  type RuleScope,
  type UpdateRule,
} from '@steward/contract';
import type { FoundOption } from '../../components/search-select.tsx';
import type { SoftwareKey } from '../../lib/software-api.ts';
import { parseOption, toOption } from '../../lib/software-options.ts';
import { effectOf, type ItemChoice, type RuleEffect } from '../../messages/rules.ts';

/** The fields of the dialog, as the user filled them in. */
export type RuleForm = {
  scope: RuleScope;
  tag: string | null;
  site: FoundOption | null;
  items: ItemChoice;
  software: FoundOption | null;
  effect: RuleEffect;
  days: number | string;
  hours: number | string;
  version: string;
  note: string;
};

export const EMPTY_FORM: RuleForm = {
  ...{ scope: 'fleet', tag: null, site: null, items: 'plugin', software: null },
  ...{ effect: 'wait', days: 7, hours: 24, version: '', note: '' },
};

export function toForm(rule: UpdateRule): RuleForm {
  const { scope, tag, site_id, site_name, item_type, slug, item_name } = rule;
  const isOnePluginOrTheme = slug !== null && item_type !== null && item_type !== 'core';
  return {
    ...{ scope, tag, version: rule.version ?? '', note: rule.note, days: rule.days ?? 7 },
    hours: rule.hours ?? 24,
    site: site_id === null ? null : { value: String(site_id), label: site_name ?? '' },
    items: isOnePluginOrTheme ? 'one' : (item_type ?? 'all'),
    software: isOnePluginOrTheme
      ? toOption({ type: item_type, slug, name: item_name ?? slug })
      : null,
    effect: effectOf(rule),
  };
}

export function aspectOf(effect: RuleEffect): RuleAspect {
  if (effect === 'wait' || effect === 'ignore' || effect === 'backup') return effect;
  return effect === 'restore' || effect === 'keep' ? 'restore' : 'level';
}

/** Returns null while a field is missing. A version also needs one plugin, one theme or core. */
export function toRequest(form: RuleForm): CreateRuleRequest | null {
  const { scope, tag, site, items, software, effect, days, hours, note } = form;
  const version = form.version.trim();
  const needsVersion = effect === 'pin' || effect === 'ignore';
  const isOneItem = items === 'core' || (items === 'one' && software !== null);
  if ((scope === 'tag' && !tag) || (scope === 'site' && !site)) return null;
  if (items === 'one' && !software) return null;
  // Steward saves no versions of core.
  if (aspectOf(effect) === 'restore' && items === 'core') return null;
  if (needsVersion && (version === '' || !isOneItem)) return null;
  if (effect === 'wait' && typeof days !== 'number') return null;
  if (effect === 'backup' && typeof hours !== 'number') return null;
  const aspect = aspectOf(effect);
  return {
    ...(scope === 'tag' && tag && { tag }),
    ...(scope === 'site' && site && { site_id: Number(site.value) }),
    ...(items === 'one' && software
      ? parseOption(software)
      : items !== 'all' && items !== 'one'
        ? { item_type: items }
        : {}),
    aspect,
    ...(aspect === 'level' && { level: effect as RuleLevel }),
    ...(aspect === 'restore' && { enabled: effect === 'restore' }),
    ...(effect === 'wait' && { days: Number(days) }),
    ...(effect === 'backup' && { hours: Number(hours) }),
    ...(needsVersion && { version }),
    note: note.trim(),
  };
}

/** The values for the sentence about the rule. */
export function toPreview(form: RuleForm): Parameters<typeof describeRule>[0] {
  const request = toRequest(form);
  return {
    scope: form.scope,
    tag: form.tag,
    site_name: form.site?.label ?? null,
    item_type: request?.item_type ?? null,
    slug: request?.slug ?? null,
    item_name: form.software?.label ?? null,
    aspect: request?.aspect ?? 'level',
    level: request?.level ?? null,
    version: request?.version ?? null,
    days: request?.days ?? null,
    hours: request?.hours ?? null,
    enabled: request?.enabled ?? null,
  };
}

/** The only item of the rule. Null: the rule is for several items, or the user has not chosen the item yet. */
export function toItem({ items, software }: RuleForm): SoftwareKey | null {
  if (items === 'core') return { type: 'core', slug: CORE_SLUG };
  if (items !== 'one' || !software) return null;
  const { item_type: type, slug } = parseOption(software);
  return { type, slug };
}

/** Finds the level for the same sites and item. A second one cannot exist, so the dialog changes it. */
export function findSameLevel(rules: UpdateRule[], form: RuleForm): UpdateRule | undefined {
  const item = toItem(form);
  if (aspectOf(form.effect) !== 'level' || !item) return undefined;
  return rules.find(
    (rule) =>
      rule.aspect === 'level' &&
      rule.scope === form.scope &&
      rule.item_type === item.type &&
      rule.slug === item.slug &&
      (rule.scope !== 'site' || String(rule.site_id) === form.site?.value) &&
      (rule.scope !== 'tag' || rule.tag === form.tag),
  );
}
