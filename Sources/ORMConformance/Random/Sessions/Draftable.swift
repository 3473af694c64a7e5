internal import ORM
internal import ORMCore
internal import ORMSessions

/// A model of which random sessions change a text and a number.
protocol Draftable: PrimaryKeyed where ID == Int64 {
  static var isVersioned: Bool { get }
  /// True if deletes hide rows.
  static var isSoft: Bool { get }
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Self
  var draftText: String { get set }
  var draftNumber: Int? { get set }
  var draftVersion: Int { get }
}

/// A model of which others change many rows at once.
protocol BatchDraftable: Draftable {
  static func change(_ query: Query<Self>, _ number: Int, _ store: any Store) throws
}

extension Draftable {
  static var isVersioned: Bool { false }
  static var isSoft: Bool { false }
  var draftVersion: Int { 0 }
  var draft: DraftRow { DraftRow(text: draftText, number: draftNumber, version: draftVersion) }
}

extension Snack: BatchDraftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Snack {
    Snack(id, text, stock: number)
  }
  var draftText: String {
    get { name }
    set { name = newValue }
  }
  var draftNumber: Int? {
    get { stock }
    set { stock = newValue }
  }
  static func change(_ query: Query<Snack>, _ number: Int, _ store: any Store) throws {
    try store.update(query) { $0.stock = number }
  }
}

extension Article: BatchDraftable {
  static var isVersioned: Bool { true }
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Article {
    Article(id, text, rank: number)
  }
  var draftText: String {
    get { title }
    set { title = newValue }
  }
  var draftNumber: Int? {
    get { rank }
    set { rank = newValue }
  }
  var draftVersion: Int { version }
  static func change(
    _ query: Query<Article>, _ number: Int, _ store: any Store
  ) throws {
    try store.update(query) { $0.rank = number }
  }
}

extension Sketch: BatchDraftable {
  static var isSoft: Bool { true }
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Sketch {
    var new = Sketch(id, "")
    new.draftText = text
    new.draftNumber = number
    return new
  }
  /// The part of the title after the key, by which titles are unique.
  var draftText: String {
    get { String(title.drop { $0 != " " }.dropFirst()) }
    set { title = "\(id) \(newValue)" }
  }
  var draftNumber: Int? {
    get { size < 0 ? nil : size }
    set { size = newValue ?? -1 }
  }
  static func change(_ query: Query<Sketch>, _ number: Int, _ store: any Store) throws {
    try store.update(query) { $0.size = number }
  }
}
