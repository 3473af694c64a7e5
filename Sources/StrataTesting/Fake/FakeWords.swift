/// A numbered list of words from which texts are made.
///
/// A list never changes: a better one gets another number, so that a seed gives the same rows in later
/// versions too.
public struct FakeWords: Hashable, Sendable {
  /// The number of the list.
  public let number: Int
  let firstNames: [String]
  let familyNames: [String]
  let cities: [String]
  let streets: [String]
  let countries: [String]
  let words: [String]

  /// The first list.
  public static let one = FakeWords(
    number: 1,
    firstNames: """
      Ada Alan Amina Anton Barbara Carlos Chen Claude Dana Edsger Elif Emil Fatima Frances Grace Hana \
      Hedy Ivan Jean John Jonas Kofi Lars Leila Linus Maria Margaret Mei Nadia Niklaus Noor Olga \
      Paulo Priya Radia Rosa Sam Sofia Tim Yuki
      """.split(separator: " ").map(String.init),
    familyNames: """
      Adeyemi Andersen Bauer Berg Castro Codd Costa Diaz Dubois Fischer Garcia Haddad Hopper Ito \
      Jansen Kaya Keller Khan Kim Kowalski Lamport Liskov Meyer Moreau Nakamura Nowak Okafor Olsen \
      Patel Perlman Quinn Rossi Sato Silva Singh Tanaka Turing Wang Weber Wirth
      """.split(separator: " ").map(String.init),
    cities: """
      Accra Ankara Athens Bergen Bogota Bremen Cairo Cork Dakar Delhi Dublin Genoa Ghent Hanoi Havana \
      Helsinki Kyoto Lagos Leeds Lima Lisbon Lyon Malmo Nairobi Osaka Oslo Porto Prague Quito Riga \
      Seoul Sofia Tallinn Tunis Turin Utrecht Vienna Warsaw Zagreb Zurich
      """.split(separator: " ").map(String.init),
    streets: """
      Bridge Canal Castle Chapel Church Forest Garden Harbour High Hill King Lake Linden Market Meadow \
      Mill North Oak Orchard Park Queen River School South Station Stone Tower West
      """.split(separator: " ").map { "\($0) Street" },
    countries: """
      Austria Belgium Brazil Canada Chile Colombia Croatia Cuba Denmark Egypt Estonia Finland France \
      Germany Ghana Greece India Ireland Italy Japan Kenya Latvia Mexico Nigeria Norway Peru Poland \
      Portugal Senegal Spain Sweden Tunisia Vietnam
      """.split(separator: " ").map(String.init),
    words: """
      acorn amber anchor apple arrow autumn badge bamboo basket beacon bell birch blue boat bottle \
      branch bread brick bronze button cabin candle canyon carpet cedar cellar chalk cherry circle \
      clay cloud clover coast copper coral cotton crane cup delta desert dune eagle ember engine \
      falcon feather fern field flag flint flute forest fountain fox garden glass globe granite grape \
      green hammer harbor hazel heron hill honey island ivory jade juniper kettle key lantern leaf \
      lemon light linen lion lotus maple marble meadow mirror mist moon moss mountain needle north \
      oak ocean olive onyx orange orbit otter paper pearl pebble pepper pine planet plum prairie \
      quartz quiet raven reed ribbon river robin rose saddle sail salt sand scarlet shell silver sky \
      slate snow south spark spring spruce star stone storm summer sun swan table tide timber tower \
      valley velvet violet wave west wheat wheel willow wind winter wood yarn zebra
      """.split(separator: " ").map(String.init))
}
