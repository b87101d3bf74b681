// What the tools do.
export async function weather({ city }) {
  return `31 in ${city}`;
}

export async function book({ city, nights }) {
  throw new Error(`no room in ${city} for ${nights}`);
}
