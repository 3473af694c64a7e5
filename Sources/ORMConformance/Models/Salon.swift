internal import FoundationEssentials
internal import ORM

/// An owner that promises all there is: rules, a count, hooks, a version, a timestamp, a soft delete,
/// and attributes that are derived.
struct Salon: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var name: String
  var touched = 0
  var version = 0
  var changed: Date?
  var hidden: Date?
  var exhibitCount = 0
  var worth = 0
  var dearest: Int?
  var exhibits: ToMany<Exhibit>

  static let entity = Entity<Salon>("Salon") {
    .key("id", \.id);
    .attribute("name", \.name, .length(1...4));
    .attribute("touched", \.touched);
    .attribute("version", \.version, .version);
    .attribute("changed", \.changed, .updatedAt);
    .attribute("hidden", \.hidden, .softDelete);
    .derived("exhibitCount", \.exhibitCount, .count(of: \.exhibits));
    .derived("worth", \.worth, .sum(of: \.exhibits, \.worth));
    .derived("dearest", \.dearest, .maximum(of: \.exhibits, \.worth));
    .relationship(
      "exhibits", \.exhibits, inverse: \Exhibit.salon, delete: .cascade, count: 0...3)
  }

  init(_ id: Int64, _ name: String, exhibits: ToMany<Exhibit> = .notLoaded) {
    self.id = id
    self.name = name
    self.exhibits = exhibits
  }

  mutating func willInsert(in transaction: WriteTransaction) throws { touched = 1 }

  mutating func willUpdate(from old: Salon, in transaction: WriteTransaction) throws {
    touched = old.touched + 1
  }

  func willDelete(in transaction: WriteTransaction) throws {
    if name == "keep" { throw Exhibit.Refusal() }
  }

  func didInsert(in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("insert Salon \(id) \(touched)"))
  }

  func didUpdate(from old: Salon, in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("update Salon \(id) \(touched)"))
  }

  func didDelete(in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("delete Salon \(id) \(touched)"))
  }
}

/// A target that promises all there is, with an embedded struct and data that is stored outside.
struct Exhibit: PrimaryKeyed, Codable, Hashable, WriteHooks, ValidatedModel {
  var id: Int64
  var title: String
  var worth: Int
  var most: Int
  var mount: Mount?
  var image: Data?
  var touched = 0
  var version = 0
  var created = Date(timeIntervalSinceReferenceDate: 0)
  var changed: Date?
  var hidden: Date?
  var salon: ToOne<Salon>

  static let entity = Entity<Exhibit>("Exhibit") {
    .key("id", \.id);
    .attribute("title", \.title, .length(1...5), .indexed);
    .attribute("worth", \.worth, .range(0...9));
    .attribute("most", \.most);
    .embedded("mount", \.mount);
    .attribute("image", \.image, .external(threshold: 100));
    .attribute("touched", \.touched);
    .attribute("version", \.version, .version);
    .attribute("created", \.created, .createdAt);
    .attribute("changed", \.changed, .updatedAt);
    .attribute("hidden", \.hidden, .softDelete);
    .relationship("salon", \.salon);
    .rule("most", "most >= worth", "must not be less than the worth")
  }

  init(
    _ id: Int64, _ title: String, worth: Int = 1, most: Int = 9, mount: Mount? = nil,
    image: Data? = nil, salon: ToOne<Salon> = .notLoaded
  ) {
    self.id = id
    self.title = title
    self.worth = worth
    self.most = most
    self.mount = mount
    self.image = image
    self.salon = salon
  }

  func validate(_ check: inout Validation<Exhibit>) throws {
    guard check.event != .insert, (check.old ?? self).title == "sold" else { return }
    if check.event == .delete { check.fail("sold", "what is sold stays") }
    if let old = check.old, old.worth != worth {
      check.fail("sold", "what is sold keeps its worth", on: \.worth)
    }
  }

  mutating func willInsert(in transaction: WriteTransaction) throws {
    if title == "no" { throw Refusal() }
    touched = 1
  }

  mutating func willUpdate(from old: Exhibit, in transaction: WriteTransaction) throws {
    if title == "no" { throw Refusal() }
    touched = old.touched + 1
  }

  func willDelete(in transaction: WriteTransaction) throws {
    if title == "keep" { throw Refusal() }
  }

  func didInsert(in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("insert Exhibit \(id) \(touched)"))
  }

  func didUpdate(from old: Exhibit, in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("update Exhibit \(id) \(touched)"))
  }

  func didDelete(in transaction: WriteTransaction) throws {
    try transaction.save(Occurrence("delete Exhibit \(id) \(touched)"))
  }

  /// An error that hooks throw.
  struct Refusal: Error {}
}

/// The mount of an exhibit.
struct Mount: Persistable, Codable, Hashable {
  var width: Int
  var height: Int

  static let entity = Entity<Mount>("Mount") {
    .attribute("width", \.width, .range(1...));
    .attribute("height", \.height);
    .rule("upright", "must not be lower than wide") { $0.height >= $0.width }
  }
}

/// A report that a hook writes.
struct Occurrence: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var text: String

  init(_ text: String) { self.text = text }

  static let entity = Entity<Occurrence>("Occurrence") {
    .key("id", \.id, .generated).attribute("text", \.text)
  }
}
