import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { accountMessages } from '../../messages/account.ts';
import { canResetPasswordQuery, requestPasswordReset } from './api.ts';
import { SignedOutLayout } from './components/signed-out-layout.tsx';

const messages = accountMessages.forgotPassword;

/** Requests an e-mail with a link. The page shows the same text for each address. */
export function ForgotPasswordPage() {
  const { data: canReset, error, isPending } = useQuery(canResetPasswordQuery);
  const request = useMutation({ mutationFn: requestPasswordReset });
  if (isPending) return null;
  const note = canReset === false ? messages.unavailable : messages.note;
  return (
    <SignedOutLayout title={messages.title} note={request.isSuccess ? undefined : note}>
      {error && <ErrorNote error={error} />}
      {canReset && <RequestForm request={request} />}
      <Text size="sm" mt="md">
        <TextLink to="/sign-in">{messages.back}</TextLink>
      </Text>
    </SignedOutLayout>
  );
}

function RequestForm({ request }: { request: UseMutationResult<unknown, Error, string> }) {
  const form = useForm({ initialValues: { email: '' } });
  if (request.isSuccess) {
    return (
      <Stack gap="xs" role="status">
        <Text>{messages.sent(request.variables)}</Text>
        <Text c="dimmed">{messages.next}</Text>
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit(({ email }) => request.mutate(email))}>
      <Stack gap="sm">
        <TextInput
          label={accountMessages.email}
          type="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          {...form.getInputProps('email')}
        />
        {request.error && <ErrorNote error={request.error} />}
        <Button type="submit" loading={request.isPending} fullWidth>
          {messages.submit}
        </Button>
      </Stack>
    </form>
  );
}
