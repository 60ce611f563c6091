import { z } from 'zod'
import { ToolFailure, type Tool } from './tool.ts'
import { readBody } from './web-body.ts'

const GEOCODING = 'https://geocoding-api.open-meteo.com/v1/search'
const FORECAST = 'https://api.open-meteo.com/v1/forecast'
/** Two small requests; a service that needs longer is as good as down. */
const WEATHER_TIME_MS = 15_000
const DAYS = 3
/** The first is told about, the others are named: a model can ask again for the one that was meant. */
const PLACES = 4
/** Twenty times what either answer takes. */
const ANSWER_BYTES = 64 * 1024

const input = z
  .strictObject({
    place: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('A town, for example Lisbon. Where several have the name: Paris, Texas.'),
    latitude: z.number().min(-90).max(90).optional().describe('Instead of a place, in degrees.'),
    longitude: z.number().min(-180).max(180).optional(),
  })
  .refine(
    ({ place, latitude, longitude }) =>
      place === undefined
        ? latitude !== undefined && longitude !== undefined
        : latitude === undefined && longitude === undefined,
    'give either a place or both latitude and longitude',
  )

// Every text of an answer is bounded in length or in form: it goes to a model as it is.
const Name = z.string().max(200)
const Day = z.string().regex(/^\d{4}-\d\d-\d\d$/)
const Minute = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
/** Null where no weather model covers the place. */
const Measure = z.number().nullable()

const Places = z.object({
  // Left out when nothing was found.
  results: z
    .array(
      z.object({
        name: Name,
        country: Name.optional(),
        admin1: Name.optional(),
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
      }),
    )
    .default([]),
})

const Forecast = z.object({
  timezone: z.string().regex(/^[\w+/-]{1,64}$/),
  current: z.object({
    time: Minute,
    temperature_2m: Measure,
    apparent_temperature: Measure,
    relative_humidity_2m: Measure,
    wind_speed_10m: Measure,
    precipitation: Measure,
    weather_code: Measure,
  }),
  daily: z.object({
    time: z.array(Day),
    weather_code: z.array(Measure),
    temperature_2m_min: z.array(Measure),
    temperature_2m_max: z.array(Measure),
    precipitation_probability_max: z.array(Measure),
  }),
})

type Spot = { label: string; latitude: number; longitude: number; others?: readonly string[] }

export function createWeather({
  fetch,
}: {
  fetch: typeof globalThis.fetch
}): Tool<z.infer<typeof input>> {
  const find = async (place: string, signal: AbortSignal): Promise<Spot> => {
    const address = new URL(GEOCODING)
    const query = { name: place, count: String(PLACES), language: 'en', format: 'json' }
    address.search = new URLSearchParams(query).toString()
    const { results } = await load(fetch, Places, address, signal)
    const [found, ...others] = results.slice(0, PLACES)
    if (found === undefined) {
      throw new ToolFailure(`No place called "${place}" is known. Try the name of the town alone.`)
    }
    const { latitude, longitude } = found
    const label = toLabel(found)
    const named = new Set(others.map(toLabel))
    named.delete(label)
    return { label, latitude, longitude, others: [...named] }
  }

  return {
    name: 'weather',
    description:
      `The weather now and for ${DAYS} days, of a place or of coordinates. ` +
      'Asks open-meteo.com, so it needs network access.',
    input,
    repeatable: true,
    readOnly: true,
    timeMs: WEATHER_TIME_MS,
    async run({ place, latitude = 0, longitude = 0 }, { signal }) {
      const spot =
        place === undefined
          ? { label: `${latitude}, ${longitude}`, latitude, longitude }
          : await find(place, signal)
      return describe(spot, await load(fetch, Forecast, toAddress(spot), signal))
    },
  }
}

async function load<T>(
  fetch: typeof globalThis.fetch,
  schema: z.ZodType<T>,
  address: URL,
  signal: AbortSignal,
): Promise<T> {
  let response: Response
  try {
    // It has no reason to send anybody elsewhere, and an address of its choice is not followed.
    response = await fetch(address, { signal, redirect: 'manual' })
  } catch (error) {
    if (signal.aborted) throw error
    throw new ToolFailure(
      'The weather service (open-meteo.com) cannot be reached. The weather needs network access; ' +
        'without it this tool is off.',
    )
  }
  if (!response.ok) {
    void response.body?.cancel().catch(() => {})
    const wait = response.status === 429 ? ' It was asked too often; try again later.' : ''
    throw new ToolFailure(`The weather service answered with status ${response.status}.${wait}`)
  }
  const parsed = schema.safeParse(await readJson(response, signal))
  if (!parsed.success) throw new ToolFailure('The weather service sent an unexpected answer.')
  return parsed.data
}

/** Undefined for what is cut off, too long or no JSON. */
async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    const { bytes } = await readBody(response, ANSWER_BYTES)
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

function toLabel({ name, admin1 = '', country = '' }: z.infer<typeof Places>['results'][number]) {
  const parts = [name, admin1, country].map((part) => part.replace(/\s+/g, ' ').trim())
  // Berlin is in the state of Berlin.
  return [...new Set(parts.filter((part) => part !== ''))].join(', ')
}

function toAddress({ latitude, longitude }: Spot): URL {
  const address = new URL(FORECAST)
  address.search = new URLSearchParams({
    latitude: String(latitude),
    longitude: String(longitude),
    current:
      'temperature_2m,apparent_temperature,relative_humidity_2m,wind_speed_10m,precipitation,weather_code',
    daily: 'weather_code,temperature_2m_min,temperature_2m_max,precipitation_probability_max',
    forecast_days: String(DAYS),
    timezone: 'auto',
    // The words below name these, so they are asked for and not left to a default.
    temperature_unit: 'celsius',
    wind_speed_unit: 'kmh',
    precipitation_unit: 'mm',
  }).toString()
  return address
}

const told = (value: number | null | undefined, unit: string): string => `${value ?? '?'}${unit}`

function describe(
  { label, others = [] }: Spot,
  { timezone, current, daily }: z.infer<typeof Forecast>,
): string {
  const days = daily.time
    .slice(0, DAYS)
    .map(
      (day, at) =>
        `${day}: ${toWords(daily.weather_code[at])}, ` +
        `${told(daily.temperature_2m_min[at], '')} to ${told(daily.temperature_2m_max[at], ' °C')}, ` +
        `chance of rain ${told(daily.precipitation_probability_max[at], ' %')}`,
    )
  return [
    `${label}, ${current.time.replace('T', ' ')} (${timezone})`,
    `now: ${toWords(current.weather_code)}, ${told(current.temperature_2m, ' °C')} ` +
      `(feels like ${told(current.apparent_temperature, ' °C')})`,
    `humidity ${told(current.relative_humidity_2m, ' %')}, ` +
      `wind ${told(current.wind_speed_10m, ' km/h')}, ` +
      `precipitation ${told(current.precipitation, ' mm')}`,
    ...days,
    ...(others.length === 0 ? [] : [`Other places of that name: ${others.join('; ')}`]),
    'Source: open-meteo.com',
  ].join('\n')
}

/** WMO codes, the ones that the service uses. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [0, 'clear'],
  [1, 'mostly clear'],
  [2, 'partly cloudy'],
  [3, 'overcast'],
  [45, 'fog'],
  [48, 'freezing fog'],
  [51, 'light drizzle'],
  [53, 'drizzle'],
  [55, 'heavy drizzle'],
  [56, 'light freezing drizzle'],
  [57, 'freezing drizzle'],
  [61, 'light rain'],
  [63, 'rain'],
  [65, 'heavy rain'],
  [66, 'light freezing rain'],
  [67, 'freezing rain'],
  [71, 'light snow'],
  [73, 'snow'],
  [75, 'heavy snow'],
  [77, 'snow grains'],
  [80, 'light showers'],
  [81, 'showers'],
  [82, 'violent showers'],
  [85, 'light snow showers'],
  [86, 'snow showers'],
  [95, 'thunderstorm'],
  [96, 'thunderstorm with hail'],
  [99, 'thunderstorm with heavy hail'],
])

const toWords = (code: number | null | undefined): string =>
  (code === null || code === undefined ? undefined : WORDS.get(code)) ?? 'unknown conditions'
