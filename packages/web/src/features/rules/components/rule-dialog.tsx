import { NumberInput, Select, Text, Textarea } from '@mantine/core';
import {
  RULE_BACKUP_HOURS_MAX,
  RULE_NOTE_MAX_LENGTH,
  RULE_WAIT_DAYS_MAX,
  type UpdateRule,
} from '@steward/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { holdMessages } from '../../../messages/holds.ts';
import { type RuleEffect, rulesMessages } from '../../../messages/rules.ts';
import { changeRule, createRule, refreshRules, ruleSitesQuery } from '../api.ts';
import {
  aspectOf,
  EMPTY_FORM,
  findSameLevel,
  type RuleForm,
  toForm,
  toItem,
  toPreview,
  toRequest,
} from '../rule-form.ts';
import { TargetFields } from './target-fields.tsx';
import { VersionSelect } from './version-select.tsx';

const messages = rulesMessages.dialog;

const holdTexts = holdMessages.holdVersion;
const HOLD_EFFECTS: RuleEffect[] = ['pin', 'ignore'];

type Props = {
  /** The rule to change. Undefined: the dialog creates a rule. */
  rule?: UpdateRule;
  /** A version to hold: the dialog keeps its item, and changes a rule of `rules` that holds the item on the same sites. */
  hold?: { form: RuleForm; rules: UpdateRule[] };
  onClose: () => void;
};

/** Creates a rule, or changes its values. A saved rule keeps its sites and items. */
export function RuleDialog({ rule: initialRule, hold, onClose }: Props) {
  const client = useQueryClient();
  // Keeps the first revision. If the list reloads, the form still has the old values; saved with the new revision, they
  // would overwrite the change of another owner.
  const [rule] = useState(initialRule);
  const [form, setForm] = useState<RuleForm>(() =>
    rule ? toForm(rule) : (hold?.form ?? EMPTY_FORM),
  );
  const change = (fields: Partial<RuleForm>) => setForm((before) => ({ ...before, ...fields }));
  const request = toRequest(form);
  const replaced = hold && findSameLevel(hold.rules, form);
  const texts = hold ? HOLD_TEXTS : rule ? EDIT_TEXTS : CREATE_TEXTS;
  const save = async () => {
    if (!request) return;
    const { aspect: _, tag, site_id, item_type, slug, ...values } = request;
    const changed = rule ?? replaced;
    if (changed) await changeRule(changed.id, { ...values, revision: changed.revision });
    else await createRule(request);
    await refreshRules(client);
    notifySuccess(texts.done);
  };
  return (
    <ConfirmDialog
      title={texts.title}
      confirmLabel={texts.confirm}
      blockedBy={request === null ? blockedMessages.rule : null}
      onConfirm={save}
      onClose={onClose}
    >
      {!rule && <TargetFields form={form} hasFixedItem={hold !== undefined} onChange={change} />}
      <EffectFields form={form} rule={rule} isHold={hold !== undefined} onChange={change} />
      <Textarea
        label={messages.note}
        description={messages.noteHint}
        maxLength={RULE_NOTE_MAX_LENGTH}
        value={form.note}
        onChange={({ currentTarget }) => change({ note: currentTarget.value })}
      />
      <RulePreview form={form} rule={rule} />
      {replaced && <Text size="sm">{holdTexts.replaces(rulesMessages.sentence(replaced))}</Text>}
    </ConfirmDialog>
  );
}

const HOLD_TEXTS = {
  title: holdTexts.open,
  confirm: holdTexts.confirm,
  done: holdTexts.done,
};
const EDIT_TEXTS = { title: messages.editTitle, confirm: messages.save, done: messages.saved };
const CREATE_TEXTS = {
  title: messages.createTitle,
  confirm: messages.create,
  done: messages.created,
};

type EffectProps = {
  form: RuleForm;
  rule: UpdateRule | undefined;
  /** Offers only the effects that hold a version. */
  isHold: boolean;
  onChange: (fields: Partial<RuleForm>) => void;
};

function EffectFields({ form, rule, isHold, onChange }: EffectProps) {
  const names = Object.entries(messages.effects) as [RuleEffect, string][];
  // A saved rule keeps its aspect, such as a level or a wait.
  const possible = names.filter(([effect]) => {
    if (isHold) return HOLD_EFFECTS.includes(effect);
    return rule ? aspectOf(effect) === aspectOf(form.effect) : true;
  });
  const needsVersion = form.effect === 'pin' || form.effect === 'ignore';
  return (
    <>
      <Select
        label={messages.effect}
        data={possible.map(([value, label]) => ({ value, label }))}
        value={form.effect}
        allowDeselect={false}
        onChange={(effect) => onChange({ effect: effect as RuleEffect })}
      />
      {form.effect === 'restore' && <Text size="sm">{messages.restoreNote}</Text>}
      {form.effect === 'wait' && (
        <NumberInput
          label={messages.days}
          min={0}
          max={RULE_WAIT_DAYS_MAX}
          allowDecimal={false}
          value={form.days}
          onChange={(days) => onChange({ days })}
        />
      )}
      {form.effect === 'backup' && (
        <NumberInput
          label={messages.hours}
          description={messages.hoursHint}
          min={0}
          max={RULE_BACKUP_HOURS_MAX}
          allowDecimal={false}
          value={form.hours}
          onChange={(hours) => onChange({ hours })}
        />
      )}
      {needsVersion && (
        <VersionSelect
          item={toItem(form)}
          value={form.version}
          onChange={(version) => onChange({ version })}
        />
      )}
    </>
  );
}

/** The rule as a sentence, and the number of its sites. */
function RulePreview({ form, rule }: { form: RuleForm; rule: UpdateRule | undefined }) {
  const request = toRequest(form);
  const { tag, site_id, item_type, slug } = request ?? {};
  const target = { tag, site_id, item_type, slug };
  const { data: sites } = useQuery({
    ...ruleSitesQuery(target),
    enabled: request !== null && !rule,
  });
  const isRestore = aspectOf(form.effect) === 'restore';
  if (!request) {
    return (
      <Text c="dimmed">
        {isRestore && form.items === 'core' ? messages.noCoreRestore : messages.incomplete}
      </Text>
    );
  }
  const count = rule?.sites ?? sites;
  return (
    <div aria-live="polite">
      <Text fw={500}>{rulesMessages.sentence(toPreview(form))}</Text>
      {count !== undefined && (
        <Text size="sm" c="dimmed">
          {messages.appliesTo(count)} {isRestore ? messages.restoreOrder : messages.holdOrder}
        </Text>
      )}
    </div>
  );
}
