internal import ORM

/// A form of text that the name of an attribute suggests.
enum FakeText: Hashable {
  case firstName, familyName, name, email, city, street, country, postcode, phone, address, language
  case title, sentence, paragraph, color, word

  /// Chooses a form by the last part of an attribute's name: `address.postalCode` is a post code.
  init(attribute: String) {
    let last = attribute.split(separator: ".").last.map(String.init) ?? attribute
    let name = last.lowercased().filter { $0 != "_" }
    let forms: [(FakeText, [String])] = [
      (.email, ["email", "mail"]), (.firstName, ["firstname", "givenname", "forename"]),
      (.familyName, ["lastname", "familyname", "surname"]),
      (.city, ["city", "town"]), (.street, ["street"]), (.country, ["country", "nation"]),
      (.postcode, ["postcode", "postalcode", "zip", "zipcode"]),
      (.phone, ["phone", "telephone", "mobile", "fax"]),
      (.address, ["url", "link", "website", "homepage"]), (.language, ["language", "locale"]),
      (.title, ["title", "headline", "subject"]), (.color, ["color", "colour"]),
      (
        .paragraph,
        ["description", "text", "body", "content", "comment", "note", "notes", "summary"]
      ),
      (.name, ["fullname", "author", "owner", "username", "contact"]),
    ]
    self =
      forms.first { $0.1.contains { name == $0 } }?.0
      ?? forms.first { form in form.1.contains { $0.count > 4 && name.hasSuffix($0) } }?.0
      ?? (name.hasSuffix("name") ? .title : .word)
  }

  /// Makes a text of this form.
  func value(_ random: inout FakeRandom) -> String {
    let words = random.words
    switch self {
    case .firstName: return random.pick(words.firstNames) ?? ""
    case .familyName: return random.pick(words.familyNames) ?? ""
    case .name: return random.name()
    case .email: return random.email()
    case .city: return random.pick(words.cities) ?? ""
    case .street: return "\(random.pick(words.streets) ?? "") \(random.int(in: 1...199))"
    case .country: return random.pick(words.countries) ?? ""
    case .postcode: return "\(random.int(in: 10_000...99_999))"
    case .phone: return "+00 \(random.int(in: 100...999)) \(random.int(in: 100_000...999_999))"
    case .address: return "https://example.com/\(random.word())/\(random.int(in: 1...9_999))"
    case .language: return random.pick(["de", "en", "es", "fr", "it", "ja", "pl", "sv"]) ?? ""
    case .title: return random.sentence(words: random.int(in: 2...3))
    case .sentence: return random.sentence()
    case .paragraph:
      return (0..<2).map { _ in random.sentence(words: 8) + "." }.joined(separator: " ")
    case .color: return random.pick(["black", "blue", "green", "red", "white", "yellow"]) ?? ""
    case .word: return "\(random.word()) \(random.word())"
    }
  }
}
