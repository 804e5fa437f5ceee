import { Autocomplete, Button, Checkbox, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import {
  createLicense,
  licenseQuery,
  type NewLicense,
  type Plan,
  plansQuery,
  refreshLicenses,
  serviceCatalogueQuery,
} from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { endOfDay } from '../expiry-date.ts';
import { LicenseLabelFields, type LicenseLabels } from './license-label-fields.tsx';
import {
  type Expiry,
  ExpiryField,
  type Limit,
  LimitField,
  limitOf,
  validateExpiry,
  validateLimit,
} from './limit-and-expiry-fields.tsx';

const messages = licenseDialogsMessages.create;

type Values = {
  labels: LicenseLabels;
  plan: string;
  limit: Limit;
  services: string[];
  expiry: Expiry;
};

const INITIAL_VALUES: Values = {
  labels: { name: '', customer: '' },
  plan: '',
  limit: { number: '', isUnlimited: false },
  services: ['remote'],
  expiry: { day: '', neverExpires: true },
};

type Props = { onCreated: (license: NewLicense) => void; onCancel: () => void };

export function CreateLicenseForm({ onCreated, onCancel }: Props) {
  const client = useQueryClient();
  const plans = useQuery(plansQuery).data ?? [];
  const catalogue = useQuery(serviceCatalogueQuery);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: INITIAL_VALUES,
    validate: {
      plan: (plan) => (plan.trim() === '' ? messages.planMissing : null),
      limit: validateLimit,
      expiry: validateExpiry,
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

  const submit = form.onSubmit(async ({ labels, plan, limit, services, expiry }) => {
    setBusy(true);
    setError(null);
    try {
      const license = await createLicense({
        ...(labels.name.trim() !== '' && { name: labels.name }),
        ...(labels.customer.trim() !== '' && { customer: labels.customer }),
        plan,
        site_limit: limitOf(limit),
        // Omit services that equal those of the plan: the license then follows later changes of the plan.
        ...(knownPlan && haveSameItems(knownPlan.services, services) ? {} : { services }),
        expires_at: expiry.neverExpires ? null : endOfDay(expiry.day),
      });
      const { license_key: _, ...summary } = license;
      const noSites = { uncounted_sites: 0, rotation: null, activations_total: 0, activations: [] };
      client.setQueryData(licenseQuery(license.id).queryKey, { ...summary, ...noSites });
      onCreated(license);
      await refreshLicenses(client);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <LicenseLabelFields
          value={form.values.labels}
          onChange={(labels) => form.setFieldValue('labels', labels)}
        />
        <Autocomplete
          label={messages.plan}
          description={planHint(form.values.plan, knownPlan)}
          data={plans.map(({ name }) => name)}
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
        <ExpiryField {...fieldOf('expiry')} />
        {error !== null && <ErrorNote error={error} />}
        <DialogFooter>
          <Button variant="default" onClick={onCancel}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {messages.submit}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );

  function fieldOf<Name extends 'limit' | 'expiry'>(name: Name) {
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

const haveSameItems = (left: string[], right: string[]): boolean =>
  left.length === right.length && left.every((each) => right.includes(each));
