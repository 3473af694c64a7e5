internal import FoundationEssentials
internal import ORM

/// An exhibit as an operation is given it.
struct ExhibitDraft: CustomStringConvertible {
  /// The link to a salon that the draft names.
  enum Link: Hashable {
    case nothing
    case none
    case salon(Int64)
  }

  var exhibit: Exhibit
  var link = Link.nothing

  var id: Int64 { exhibit.id }

  /// The object with its link.
  var model: Exhibit {
    var model = exhibit
    switch link {
    case .nothing: model.salon = .notLoaded
    case .none: model.salon = nil
    case .salon(let id): model.salon = .key(id)
    }
    return model
  }

  var description: String {
    let mount = exhibit.mount.map { "\($0.width)×\($0.height)" } ?? "nil"
    return "{\(id) \(exhibit.title) \(exhibit.worth)/\(exhibit.most) mount \(mount) image "
      + "\(exhibit.image?.count ?? -1) version \(exhibit.version) hidden "
      + "\(exhibit.hidden?.timeIntervalSinceReferenceDate ?? 0) \(link)}"
  }
}

/// A source of drafts and operations that fit the stored rows.
struct PromiseMaker {
  var random: SeededGenerator
  let naive: NaiveSalons
  /// The timestamps of hidden rows, as the store has them.
  let timestamps: [NaiveSalons.Hiding: Date]

  static let salons: ClosedRange<Int> = 1...3
  static let exhibits: ClosedRange<Int> = 1...7

  mutating func salon() -> Int64 { Int64(random.number(Self.salons)) }
  mutating func exhibit() -> Int64 { Int64(random.number(Self.exhibits)) }

  mutating func title() -> String {
    random.pick(
      ["a", "b", "c", "sold", "keep"] + (random.chance(8) ? ["no", "too long"] : ["d"]))
  }

  mutating func mount() -> Mount? {
    if random.chance(3) { return nil }
    let width = random.number(random.chance(8) ? 0...1 : 1...2)
    return Mount(width: width, height: random.number(random.chance(8) ? 0...2 : 2...4))
  }

  mutating func image() -> Data? {
    random.chance(3)
      ? nil : Picture.content(random.number(1...4), random.pick([10, 100, 101, 300]))
  }

  /// A timestamp at which something is hidden by hand.
  mutating func timestamp() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(random.number(1...2)))
  }

  mutating func link() -> ExhibitDraft.Link {
    switch random.number(1...6) {
    case 1, 2: .nothing
    case 3: .none
    default: .salon(salon())
    }
  }

  mutating func draft(_ id: Int64? = nil, links: Bool = true) -> ExhibitDraft {
    let id = id ?? exhibit()
    let stored = naive.exhibits[id]
    var exhibit = Exhibit(
      id, title(), worth: random.number(0...(random.chance(10) ? 12 : 9)),
      most: random.chance(10) ? random.number(3...9) : 12, mount: mount(), image: image())
    exhibit.touched = stored?.touched ?? 0
    exhibit.version = stored?.version ?? 0
    if let stored {
      if random.chance(3) {
        exhibit.title = stored.title
        exhibit.worth = stored.worth
        exhibit.most = stored.most
        exhibit.mount = stored.mount
        exhibit.image = stored.image
      }
      if let hiding = stored.hidden, random.chance(2) { exhibit.hidden = timestamps[hiding] }
    }
    if random.chance(12) { exhibit.version += 1 }
    if links, random.chance(12) { exhibit.hidden = timestamp() }
    return ExhibitDraft(exhibit: exhibit, link: links ? link() : .nothing)
  }

  /// Some of the keys there are, each once.
  mutating func some(_ all: ClosedRange<Int>) -> [Int64] {
    if random.chance(5) { return all.map { Int64($0) } }
    return Set((0..<random.number(1...3)).map { _ in Int64(random.number(all)) }).sorted()
  }
}

extension NaiveSalons.Hiding {
  /// Makes the value for a timestamp: the operation that set it, else the date given by hand.
  init(_ date: Date, _ timestamps: [NaiveSalons.Hiding: Date]) {
    self = timestamps.first { $0.value == date }?.key ?? .date(date)
  }
}
