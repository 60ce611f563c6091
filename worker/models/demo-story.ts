// The demo model's long answer: a text of about a minute at its speed, long enough to interrupt,
// and worth reading for as long as one does.

/** One paragraph for each hour, from midnight on. */
const HOURS = [
  'Ines has the watch; the other keeper is asleep. She climbs the hundred and eight steps with a thermos under her arm. The lamp has been burning since dusk, and the first thing she does is stand still and listen to it, because a bearing that is about to fail is heard long before it is seen.',
  'A trawler calls on the radio to ask whether the shoal has moved since spring. It has, by about forty metres, and she reads the new bearing out twice. The skipper repeats it, thanks her, and sings two lines of something before he remembers to let go of the button.',
  'The clockwork that used to turn the lens still stands in the room below, oiled and useless. Ines winds it once a night anyway. Nobody asked her to; the man who taught her did it, and he could not say who had taught him.',
  'This is the hour when mistakes are made, so there is a rule: nothing is repaired at three. What breaks is written down, what can wait waits, and what cannot wait is done by two people, one of whom only watches.',
  'A ship with no name on the transponder passes close to the reef and out again. She notes the time, the course and the lights it showed. Most of what a lighthouse knows is never needed, and the rest is needed all at once.',
  'The eastern sky turns from black to the grey of wet slate. Gulls begin to argue on the roof of the boathouse. Down at the landing, the tide has left a plank, a glove, and a glass float in its net.',
  'At sunrise the lamp goes out by itself, and the sudden stillness is always a surprise. Ines draws the curtains around the lens, because a lens of that size, left in the sun, sets fire to whatever it finds.',
  'Breakfast is eggs, and bread baked in a tin. The radio reads the forecast for twenty-one sea areas, and the kitchen falls silent for exactly one of them, the way a class does when a name is called.',
  'The relief boat comes with post, diesel, and Tomas, who will stay for six weeks. He jumps at the right moment, which is to say a little before it looks right. The boat is gone again before the bags are counted.',
  'Handing over takes an hour and has its own grammar. First what is broken, then what was broken and is whole again, then what sounds odd but has always sounded odd. Only then the weather, and last of all the cat.',
  'They clean the lens together, prism by prism, with a cloth that is used for nothing else. There are over a thousand pieces of glass in it. A thumbprint on one of them can be seen, on a clear night, from eleven miles away.',
  'A school has written with questions. Is it lonely? What happens if you both fall asleep? Does the light ever see anything? They answer all three at the kitchen table, and spend the longest on the last.',
  'Noon is for reading instruments. Pressure, temperature, wind, the level in the tanks, the voltage of the batteries. The numbers go into the book in ink, and into the computer afterwards, in that order.',
  'Tomas finds the fault in the fog signal: a wasp has built a nest of mud in the air intake. He moves it, whole, to the lee side of the oil store, and writes in the log that the signal has been returned to service.',
  'A yacht under full sail cuts the corner that everyone is told not to cut. They watch it through the glass without speaking. It clears the rock by the length of a tennis court, and the people on board wave.',
  'The afternoon is painting, as it has been every dry afternoon since the tower was built. By the time the top is finished the bottom needs doing. Ines says it is the only job she knows that is never late.',
  'Clouds build in the west like a second coast. The barometer has begun to fall, slowly at first. They carry in the chairs, look to the lashings of the boat, and put the good cups on the low shelf.',
  'The helicopter that was to bring a technician turns back. He apologises by radio and explains the repair instead, step by step, with the patience of somebody describing a house in which he grew up.',
  'Rain reaches them, in single heavy drops and then all together. The windows hum. Tomas lays towels along the sill of the west room, in a pattern so practised that it has clearly been argued about before.',
  'At dusk the sensor decides that it is night, and the lamp wakes. First a glow, then a white that cannot be looked at. The beam goes out over the water and begins to count: one flash, a pause, two flashes, a long dark.',
  'A container ship asks for the state of the sea in the channel. Four metres and building, she says, and hears the officer breathe out before he answers. He will wait outside until morning. It is the right decision and an expensive one.',
  'Dinner is late and eaten standing up. The generator has taken over from the mains without being asked, as it should. Each of them goes down, separately, to lay a hand on it and feel that it runs even.',
  'The wind finds a new note in the railing, a fifth above the old one. They check every door from inside. In the log there is a line for exactly such nights, and it has been written in by eleven different hands.',
  'Near midnight the front has passed and there are stars in the gaps. Ines signs the page, and Tomas signs under her. Tomorrow the same hours will come again, in the same order, and not one of them will be the same.',
] as const

/** Lines that come round again, each at its own pace, so that no two hours have the same set. */
const REFRAINS: readonly (readonly string[])[] = [
  [
    'The sea is moderate, with a long swell underneath that has come from somewhere else entirely.',
    'The water is flat near the rocks and rough beyond them, as if somebody had drawn a line.',
    'Waves arrive in sets of seven, or so it is said; whoever counts gets six, and then nine.',
    'The tide is running hard through the gap, and it carries weed past the landing at walking speed.',
    'Spray reaches the first window, dries there, and leaves a map of countries that do not exist.',
    'For a while the swell and the wind disagree, and the surface stands up in small, steep pyramids.',
    'The sound of the water changes when the ledge is covered, from a clap to something like breath.',
  ],
  [
    'In the log it takes one line, because the log has room for what happened and not for how it felt.',
    'The book asks for visibility, and the answer is an island: seen clearly, seen barely, not seen.',
    'Someone in an office will read the entry on Monday and find nothing in it, which is its purpose.',
    'An entry is never crossed out; a mistake gets a line of its own, with a time and a name.',
    'What is written first is the time, since everything else can be worked out later and that cannot.',
    'The oldest volume on the shelf begins in the middle of a sentence, and nobody knows the first half.',
    'Two accounts of the same hour are kept in two places, so that one wave cannot take both.',
    'If the page were lost, the hour could be told again from the charts, but not the reason for it.',
  ],
  [
    'The cat has chosen the warmest pipe in the building and will not be argued with.',
    'Somewhere below a shutter is loose, and each of them is waiting for the other to go and see.',
    'The kettle is put on; it is less a drink than a way of marking that something is over.',
    'A moth as large as a hand sits on the inside of the glass, perfectly calm.',
    'The stairs have been worn in the middle by a hundred and fifty years of the same two errands.',
    'On the wall hangs a photograph of five keepers, and a sixth shape that may be a coat.',
    'The smell is of paraffin, though none has been burned here since before either of them was born.',
    'There is a jigsaw on the table with all of its sky missing, begun by somebody who has since retired.',
    'The radio murmurs in a language neither of them speaks, and they have come to like the voice.',
  ],
  [
    'People think the work is watching; most of it is making sure that one could watch, if it mattered.',
    'A light is a promise that is kept whether or not anybody is there to see it.',
    'The trick, Ines says, is to do the dull thing on the day on which it does not matter.',
    'Nothing here is quick, and nothing is put off; those turn out to be the same rule.',
    'It is possible to be alone in such a place, but not to be unneeded, and that makes the difference.',
    'What a stranger would call waiting has a dozen different names among people who do it for a living.',
    'The tower does not move, and so everything that does can be measured against it.',
    'If the light failed there would be a lamp, then a lantern, then a bell, and at last a voice.',
    'An hour without events is not an empty hour; it is one in which all of it worked.',
    'They have learned to trust a thing that is dull and tested over one that is clever and new.',
    'You can tell a good watch by how little there is to say at the end of it.',
  ],
]

const PLACES = ['north-west', 'south', 'south-west', 'west', 'north'] as const

const toClock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** A reading that differs from hour to hour and still reads like one day. */
function toReading(hour: number): string {
  const wind = 3 + Math.round(3 * Math.sin((hour - 9) / 4) ** 2) + (hour > 16 ? 2 : 0)
  const pressure = 1016 - Math.round(14 * Math.sin((hour / 24) * Math.PI) ** 2)
  const miles = 4 + ((hour * 7) % 13)
  return (
    `At ${toClock(hour)} the wind is ${PLACES[hour % PLACES.length]}, force ${wind}, ` +
    `the barometer stands at ${pressure}, and one can see for ${miles} miles.`
  )
}

function toHour(text: string, hour: number): string {
  const lines = REFRAINS.map((variants, i) => variants[(hour * (i + 1) + i) % variants.length])
  // Every other hour has a second thought; five on, so that it is far from where it returns.
  const thoughts = REFRAINS.at(-1)!
  if (hour % 2 === 0) lines.push(thoughts[(hour * REFRAINS.length + 8) % thoughts.length])
  return `## ${toClock(hour)}\n\n${text}\n\n${toReading(hour)} ${lines.join(' ')}\n\n`
}

export const STORY = `# Twenty-four hours at a lighthouse\n\n${HOURS.map(toHour).join('')}*The end.*`
