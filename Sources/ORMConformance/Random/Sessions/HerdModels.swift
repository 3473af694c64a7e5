internal import ORM
internal import ORMSessions

// Models of a hierarchy with delete rules, by a text and a number that random sessions change.

extension Beast: Draftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Beast {
    Beast(id, text, den: ToOne(number))
  }
  var draftText: String {
    get { name }
    set { name = newValue }
  }
  var draftNumber: Int? {
    get { den.id.map { Int($0) } }
    set { den = ToOne(newValue) }
  }
}

extension Lion: Draftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Lion {
    Lion(id, text, mane: number ?? 0)
  }
  var draftText: String {
    get { name }
    set { name = newValue }
  }
  var draftNumber: Int? {
    get { mane }
    set { mane = newValue ?? 0 }
  }
}

extension Cub: Draftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Cub {
    Cub(id, text, lion: ToOne(number))
  }
  var draftText: String {
    get { name }
    set { name = newValue }
  }
  var draftNumber: Int? {
    get { lion.id.map { Int($0) } }
    set { lion = ToOne(newValue) }
  }
}

extension Den: Draftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Den {
    Den(id, guardian: ToOne(number))
  }
  /// No text: a den has none.
  var draftText: String {
    get { "" }
    set {}
  }
  var draftNumber: Int? {
    get { guardian.id.map { Int($0) } }
    set { guardian = ToOne(newValue) }
  }
}

extension BeastTag: Draftable {
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> BeastTag {
    BeastTag(id, beast: ToOne(number))
  }
  /// No text: a tag has none.
  var draftText: String {
    get { "" }
    set {}
  }
  var draftNumber: Int? {
    get { beast.id.map { Int($0) } }
    set { beast = ToOne(newValue) }
  }
}

extension ToOne where Target.ID == Int64 {
  /// A link by a number, or none.
  fileprivate init(_ number: Int?) {
    if let number { self = .key(Int64(number)) } else { self = nil }
  }
}

/// A handle of any model of the herd.
protocol DraftHandle: AnyObject {
  var isDeleted: Bool { get }
  var isInserted: Bool { get }
  var isStale: Bool { get }
  var hasChanges: Bool { get }
  var draft: DraftRow { get }
  func setText(_ text: String)
  func setNumber(_ number: Int?)
  func delete(in session: Session) throws
}

extension Live: DraftHandle where Model: Draftable {
  var draft: DraftRow { value.draft }
  func setText(_ text: String) { self.draftText = text }
  func setNumber(_ number: Int?) { self.draftNumber = number }
  func delete(in session: Session) throws { try session.delete(self) }
}
