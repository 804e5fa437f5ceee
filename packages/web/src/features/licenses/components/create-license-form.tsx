import { Autocomplete, Button, Checkbox, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import {
  createLicense,
  licenseQuery,
  licensesChanged,
  type NewLicense,
  type Plan,
  plansQuery,
  serviceCatalogueQuery,
} from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { endOfDay } from '../expiry-date.ts';
import {
  type Limit,
  LimitField,
  limitOf,
  type Term,
  TermField,
  validateLimit,
  validateTerm,
} from './term-fields.tsx';

const messages = licenseDialogsMessages.create;

type Values = { plan: string; limit: Limit; services: string[]; term: Term };

const EMPTY: Values = {
  plan: '',
  limit: { number: '', isUnlimited: false },
  services: ['remote'],
  term: { day: '', isForever: true },
};

type Props = { onCreated: (license: NewLicense) => void; onCancel: () => void };

export function CreateLicenseForm({ onCreated, onCancel }: Props) {
  const client = useQueryClient();
  const plans = useQuery(plansQuery).data ?? [];
  const catalogue = useQuery(serviceCatalogueQuery);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: EMPTY,
    validate: {
      plan: (plan) => (plan.trim() === '' ? messages.planHint : null),
      limit: validateLimit,
      term: validateTerm,
    },
  });
  const knownPlan = findPlan(form.values.plan, plans);

  const choosePlan = (name: string) => {
    form.setFieldValue('plan', name);
    const plan = findPlan(name, plans);
    if (!plan) return;
    form.setFieldValue('limit', {
      number: plan.site_limit ?? '',
      isUnlimited: plan.site_limit === null,
    });
    form.setFieldValue('services', plan.services);
  };

  const submit = form.onSubmit(async ({ plan, limit, services, term }) => {
    setBusy(true);
    setError(null);
    try {
      const license = await createLicense({
        plan,
        site_limit: limitOf(limit),
        // Omitted if equal to the plan's services, so that the license follows later changes of the plan.
        ...(knownPlan && areEqual(knownPlan.services, services) ? {} : { services }),
        expires_at: term.isForever ? null : endOfDay(term.day),
      });
      const { license_key: _, ...summary } = license;
      const noSites = { uncounted_sites: 0, rotation: null, activations_total: 0, activations: [] };
      client.setQueryData(licenseQuery(license.id).queryKey, { ...summary, ...noSites });
      onCreated(license);
      await licensesChanged(client);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Autocomplete
          label={messages.plan}
          description={planHint(form.values.plan, knownPlan)}
          data={plans.map(({ name }) => name)}
          data-autofocus
          size="sm"
          maxLength={100}
          error={form.errors.plan}
          value={form.values.plan}
          onChange={choosePlan}
        />
        <LimitField {...fieldOf('limit')} />
        {catalogue.error && <ErrorNote error={catalogue.error} onRetry={catalogue.refetch} />}
        <Checkbox.Group label={messages.services} {...form.getInputProps('services')}>
          <Stack gap={6} mt={4}>
            {catalogue.data?.map(({ slug, name, description }) => (
              <Checkbox key={slug} value={slug} label={name} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TermField {...fieldOf('term')} />
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {messages.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );

  function fieldOf<Name extends 'limit' | 'term'>(name: Name) {
    return {
      value: form.values[name],
      onChange: (value: Values[Name]) => form.setFieldValue(name as string, value),
      error: (form.errors[name] as string | undefined) ?? null,
    };
  }
}

const findPlan = (name: string, plans: Plan[]): Plan | undefined =>
  plans.find((plan) => plan.name.toLowerCase() === name.trim().toLowerCase());

const planHint = (typed: string, known: Plan | undefined): string =>
  known || typed.trim() === '' ? messages.planHint : messages.newPlanHint;

const areEqual = (left: string[], right: string[]): boolean =>
  left.length === right.length && left.every((each) => right.includes(each));
