import type {
  CreateChannelRequest,
  DeliveriesResponse,
  DeliveryResponse,
  DeliveryStatus,
  EmailSettings,
  EmailSettingsResponse,
  MailStatusResponse,
  NewChannelResponse,
  NotificationChannelResponse,
  NotificationChannelsResponse,
  SigningSecretResponse,
  UpdateChannelRequest,
} from '@steward/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

type DeliveryPage = Static<typeof DeliveriesResponse>;

export const channelsQuery = queryOptions({
  queryKey: ['notifications', 'channels'],
  queryFn: ({ signal }) =>
    api<Static<typeof NotificationChannelsResponse>>('/panel/notification-channels', { signal }),
});

export const emailSettingsQuery = queryOptions({
  queryKey: ['notifications', 'email'],
  queryFn: ({ signal }) =>
    api<Static<typeof EmailSettingsResponse>>('/panel/account/notifications', { signal }),
});

export const mailQuery = queryOptions({
  queryKey: ['notifications', 'mail'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof MailStatusResponse>>('/panel/mail', { signal })).mail,
});

/** The delivery log refreshes by itself: the worker delivers messages while the page is open. */
const REFRESH_MS = 10_000;

export const deliveriesQuery = (status: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ['notifications', 'deliveries', status],
    initialPageParam: null as string | null,
    getNextPageParam: (page: DeliveryPage) => page.next_cursor,
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    queryFn: ({ pageParam, signal }) =>
      api<DeliveryPage>('/panel/notification-deliveries', {
        query: { cursor: pageParam, status },
        signal,
      }),
  });

export const saveEmailSettings = (body: EmailSettings) =>
  api<Static<typeof EmailSettingsResponse>>('/panel/account/notifications', {
    method: 'PUT',
    body,
  });

const post = <ResponseBody>(path: string, body?: unknown) =>
  api<ResponseBody>(path, { method: 'POST', body });

export const sendTestEmail = async () =>
  (await post<Static<typeof DeliveryResponse>>('/panel/account/notifications/test')).delivery;

export const createChannel = (body: CreateChannelRequest) =>
  post<Static<typeof NewChannelResponse>>('/panel/notification-channels', body);

export const updateChannel = (id: number, body: UpdateChannelRequest) =>
  api<Static<typeof NotificationChannelResponse>>(`/panel/notification-channels/${id}`, {
    method: 'PATCH',
    body,
  });

export const deleteChannel = (id: number) =>
  api(`/panel/notification-channels/${id}`, { method: 'DELETE' });

export const revealSecret = async (id: number) =>
  (
    await post<Static<typeof SigningSecretResponse>>(
      `/panel/notification-channels/${id}/reveal-secret`,
    )
  ).signing_secret;

export const testChannel = async (id: number) =>
  (await post<Static<typeof DeliveryResponse>>(`/panel/notification-channels/${id}/test`)).delivery;

export const retryDelivery = async (id: number) =>
  (await post<Static<typeof DeliveryResponse>>(`/panel/notification-deliveries/${id}/retry`))
    .delivery;
