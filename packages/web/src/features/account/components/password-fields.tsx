import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@steward/contract';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { commonMessages } from '../../../messages/common.ts';

const messages = commonMessages.password;

/** A field for a new password. Forms check the length with `validatePassword`; the panel also rejects common ones. */
export function NewPasswordField(props: PasswordInputProps) {
  return (
    <PasswordField
      description={messages.newHint(PASSWORD_MIN_LENGTH)}
      autoComplete="new-password"
      {...props}
    />
  );
}

export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      autoComplete="current-password"
      required
      withAsterisk={false}
      visibilityToggleIcon={({ reveal }) =>
        reveal ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />
      }
      visibilityToggleButtonProps={{ 'aria-label': messages.showOrHide, tabIndex: 0 }}
      {...props}
    />
  );
}

export function validatePassword(password: string): string | null {
  const { length } = password;
  if (length < PASSWORD_MIN_LENGTH) return messages.tooShort(PASSWORD_MIN_LENGTH);
  return length > PASSWORD_MAX_LENGTH ? messages.tooLong(PASSWORD_MAX_LENGTH) : null;
}
