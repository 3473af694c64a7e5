internal import FoundationEssentials
internal import ORM

/// An owner with hooks and managed attributes beside a derived one; its key has two parts.
struct Desk: Persistable, PrimaryKeyed, Codable, Hashable, WriteHooks {
  struct ID: CompositeKey {
    var floor: Int
    var spot: String
  }
  var id: ID
  var title: String
  var touched = 0
  var version = 0
  var changed: Date?
  var sheets: Int64 = 0
  var latest: Date?
  var papers: ToMany<Paper> = .notLoaded
  static let entity = Entity<Desk>("Desk") {
    .key("floor", \.id.floor);
    .key("spot", \.id.spot);
    .attribute("title", \.title);
    .attribute("touched", \.touched);
    .attribute("version", \.version, .version);
    .attribute("changed", \.changed, .updatedAt);
    .derived("sheets", \.sheets, .sum(of: \.papers, \.sheets), .indexed);
    .derived("latest", \.latest, .maximum(of: \.papers, \.day));
    .relationship("papers", \.papers, inverse: \Paper.desk)
  }

  init(_ floor: Int, _ spot: String, _ title: String = "") {
    id = ID(floor: floor, spot: spot)
    self.title = title
  }

  mutating func willUpdate(from old: Desk, in transaction: WriteTransaction) throws {
    touched = old.touched + 1
    sheets = 99
  }
}

/// A paper on a desk; papers inside each other form a tree.
struct Paper: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: UUID
  var sheets: Int64
  var day: Date?
  var inserts: Int = 0
  var desk: ToOne<Desk>
  var inside: ToOne<Paper> = .notLoaded
  var parts: ToMany<Paper> = .notLoaded
  static let entity = Entity<Paper>("Paper") {
    .key("id", \.id, .uuidV4);
    .attribute("sheets", \.sheets, .default(1));
    .attribute("day", \.day);
    .derived("inserts", \.inserts, .count(of: \.parts));
    .relationship("desk", \.desk);
    .relationship("inside", \.inside);
    .relationship("parts", \.parts, inverse: \Paper.inside, delete: .cascade)
  }

  init(_ sheets: Int64, day: Date? = nil, desk: ToOne<Desk> = .notLoaded) {
    id = .unassigned
    self.sheets = sheets
    self.day = day
    self.desk = desk
  }
}
