internal import ORM

/// The kinds of the records of a mapping, worked out.
final class KindPlans<Root: Persistable>: Sendable {
  let table: KindTable
  /// The kinds beside the mapping's own model.
  let kinds: [any KindPlan<Root>]
  let otherwise: JSONUnknownKind
  /// True if objects of the mapping's own model can be written.
  let writesOwn: Bool
  /// The entities of which no model is known yet.
  let unresolved: [String]

  init?(_ rule: KindRule, _ kinds: [any KindPlan<Root>]) {
    guard !rule.models.isEmpty, let path = rule.path else { return nil }
    table = KindTable(path, kinds.map(\.texts))
    self.kinds = kinds
    otherwise = rule.otherwise
    let name = Root.entity.written.name
    writesOwn = rule.otherwise == .keep || rule.text(of: name) != nil
    let known = Set(kinds.map(\.entity))
    unresolved = rule.models.map(\.model.name).filter { $0 != name && !known.contains($0) }
  }

  /// Throws `invalidMapping` for kinds that data names, of which a store alone knows the models.
  func checkModels() throws {
    guard let name = unresolved.first else { return }
    throw StoreError(
      .invalidMapping,
      "the mapping was made of data, and the model of its kind \(name) is not known; a store that is "
        + "opened with the model knows it",
      entity: Root.entity.written.name)
  }

  /// The error of an object whose kind the mapping does not name.
  static func unnamed(_ kind: String) -> StoreError {
    StoreError.unnamedKind(kind, in: Root.entity.written.name)
  }
}

extension StoreError {
  /// The error of a row whose kind a mapping does not name.
  static func unnamedKind(_ kind: String, in entity: String) -> StoreError {
    StoreError(
      .invalidMapping,
      "the mapping names no kind that is a \(kind), so that it could not be read again; name it, or "
        + "read other records as the parent by `.keep`", entity: entity)
  }
}

/// The kinds of records by the texts that stand for them.
struct KindTable: Sendable {
  let path: [PathStep]
  private let kinds: [ExactText: Int]

  init(_ path: [PathStep], _ texts: [[String]]) {
    self.path = path
    kinds = Dictionary(
      texts.enumerated().flatMap { kind, texts in texts.map { (ExactText($0), kind) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The kind of the record at a scanner's position; nil for the mapping's own model and for an unknown
  /// kind.
  func kind(at scanner: JSONScanner) -> Int? {
    var scanner = scanner
    scanner.skipSpace()
    guard ValueReading.enter(path[...], &scanner) else { return nil }
    return ValueReading.text(&scanner).flatMap { kinds[$0] }
  }

  /// The kind that a text stands for; nil as above.
  func kind(of text: String) -> Int? { kinds[text] }
}

/// The mapping of the records of one kind, worked out.
protocol KindPlan<Root>: Sendable {
  /// The model of the mapping that names the kind.
  associatedtype Root: Persistable
  associatedtype Kind: PrimaryKeyed
  /// The number of entities above it, up to that of the mapping's model.
  var depth: Int { get }
  /// The texts that stand for the kind.
  var texts: [String] { get }
  var mapping: JSONMapping<Kind> { get }
  /// The relationships of the entities above, the nearest first.
  var inherited: [any InheritedPlan<Kind>] { get }
  /// The same, which takes null at some more paths.
  func knowing(_ others: [[PathStep]]) -> any KindPlan<Root>
}

/// The mapping of the records of a subentity of a mapping's model.
struct SubentityPlan<Root: Persistable, Kind: PrimaryKeyed>: KindPlan {
  let depth: Int
  let texts: [String]
  let mapping: JSONMapping<Kind>
  let inherited: [any InheritedPlan<Kind>]

  func knowing(_ others: [[PathStep]]) -> any KindPlan<Root> {
    SubentityPlan(
      depth: depth, texts: texts, mapping: mapping.adding { $0.beside.others = others },
      inherited: inherited)
  }
}

extension KindPlan {
  /// True if unknown members are refused.
  var isStrict: Bool { mapping.rules.unknown == .refuse }

  /// The paths that are read.
  var readPaths: [[PathStep]] {
    ((try? mapping.plan.readPaths) ?? []) + inherited.flatMap(\.readPaths)
  }
}

/// The relationships that records of a kind have through an entity above, since its own objects do
/// not have them.
protocol InheritedPlan<Kind>: Sendable {
  associatedtype Kind: PrimaryKeyed
  /// The model that has the relationships.
  associatedtype Owner: PrimaryKeyed
  /// The mapping of that model, with the relationships alone.
  var mapping: JSONMapping<Owner> { get }
  /// The same, worked out.
  var plan: MappingPlan<Owner> { get }
}

extension InheritedPlan {
  /// The position of each attribute of the owner among those of the kind.
  var columns: [Int?] { RowConversion<Owner, Kind>().columns }
  var linkCount: Int { plan.links.count }
  var readPaths: [[PathStep]] { plan.links.flatMap(\.sources) }

  var writtenPaths: [(path: [PathStep], link: Int)] {
    plan.writing.writtenPaths().compactMap { entry in
      if case .link(let link) = entry.leaf { (entry.path, link) } else { nil }
    }
  }
}

/// The relationships of one entity above a kind.
struct InheritedLinks<Kind: PrimaryKeyed, Owner: PrimaryKeyed>: InheritedPlan {
  let mapping: JSONMapping<Owner>
  let plan: MappingPlan<Owner>

  /// Compiles the relationships; nil for rules with faults, and where none take part.
  init?(_ rules: MappingRules) {
    mapping = JSONMapping(rules)
    guard let plan = try? mapping.plan else { return nil }
    self.plan = plan
    if readPaths.isEmpty, writtenPaths.isEmpty { return nil }
  }
}
