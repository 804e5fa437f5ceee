import type { NewEnrolmentCode } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { createEnrolmentCodes } from '../../lib/licenses-api.ts';

export type EnrolmentCodes = ReturnType<typeof useEnrolmentCodes>;

/** Creates codes. Each call replaces the codes on the screen. The replaced codes stay valid. */
export function useEnrolmentCodes(licenseId: number) {
  const mutation = useMutation({
    mutationFn: (count: number) => createEnrolmentCodes(licenseId, count),
  });
  const codes: NewEnrolmentCode[] = mutation.data ?? [];
  return {
    codes,
    create: (count = 1) => mutation.mutateAsync(count).catch(() => null),
    isCreating: mutation.isPending,
    error: mutation.error,
  };
}
