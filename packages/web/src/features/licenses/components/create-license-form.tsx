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
import { endOfDay } from '../last-day.ts';
import {
  type Limit,
  LimitField,
  limitFault,
  limitOf,
  type Term,
  TermField,
  termFault,
} from './term-fields.tsx';

type Values = { plan: string; limit: Limit; services: string[]; term: Term };

const EMPTY: Values = {
  plan: '',
  limit: { number: '', isUnlimited: false },
  services: ['remote'],
  term: { day: '', isForever: true },
};

type Props = { onMade: (license: NewLicense) => void; onCancel: () => void };

export function CreateLicenseForm({ onMade, onCancel }: Props) {
  const client = useQueryClient();
  const plans = useQuery(plansQuery).data ?? [];
  const catalogue = useQuery(serviceCatalogueQuery);
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: EMPTY,
    validate: {
      plan: (plan) => (plan.trim() === '' ? 'Choose a plan or type the name of a new one.' : null),
      limit: limitFault,
      term: termFault,
    },
  });
  const known = planNamed(form.values.plan, plans);

  const choosePlan = (name: string) => {
    form.setFieldValue('plan', name);
    const plan = planNamed(name, plans);
    if (!plan) return;
    form.setFieldValue('limit', {
      number: plan.site_limit ?? '',
      isUnlimited: plan.site_limit === null,
    });
    form.setFieldValue('services', plan.services);
  };

  const submit = form.onSubmit(async ({ plan, limit, services, term }) => {
    setBusy(true);
    setFault(null);
    try {
      const license = await createLicense({
        plan,
        site_limit: limitOf(limit),
        // Left as the plan has them they stay the plan's, also when the plan changes.
        ...(known && areSame(known.services, services) ? {} : { services }),
        expires_at: term.isForever ? null : endOfDay(term.day),
      });
      const { license_key: _, ...summary } = license;
      const none = { uncounted_sites: 0, rotation: null, activations_total: 0, activations: [] };
      client.setQueryData(licenseQuery(license.id).queryKey, { ...summary, ...none });
      onMade(license);
      await licensesChanged(client);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Autocomplete
          label="Plan"
          description={planNote(form.values.plan, known)}
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
        <Checkbox.Group label="Services" {...form.getInputProps('services')}>
          <Stack gap={6} mt={4}>
            {catalogue.data?.map(({ slug, name, description }) => (
              <Checkbox key={slug} value={slug} label={name} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TermField {...fieldOf('term')} />
        {fault !== null && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Create license
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

const planNamed = (name: string, plans: Plan[]): Plan | undefined =>
  plans.find((plan) => plan.name.toLowerCase() === name.trim().toLowerCase());

function planNote(typed: string, known: Plan | undefined): string {
  if (known || typed.trim() === '') return 'Choose one, or type the name of a new plan.';
  return 'There is no plan of this name yet; it is made along with the license.';
}

const areSame = (some: string[], others: string[]): boolean =>
  some.length === others.length && some.every((each) => others.includes(each));
