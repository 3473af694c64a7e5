internal import ORMCore

/// The number of rows that a save of objects writes at most: the objects, those that their links
/// were set to, and links by key.
///
/// Counting ends at a limit, so that it costs little for a graph of any size.
struct GraphSize {
  private(set) var rows = 0
  private let limit: Int
  /// The objects of class models that were counted: their links may lead round in circles.
  private var counted: Set<ObjectIdentifier> = []

  init(limit: Int) { self.limit = limit }

  /// Counts an object and the objects that it reaches.
  mutating func add<Model: Persistable>(_ model: Model) {
    rows += 1
    for end in Model.entity.relationships where rows <= limit { follow(end, of: model) }
  }

  private mutating func follow<End: RelationshipEnd>(_ end: End, of model: End.Model) {
    guard case .objects = end.state(of: model) else { return }
    for element in elements(of: end, in: model) where rows <= limit {
      switch element {
      case nil, .key: rows += 1
      case .object(let target):
        if End.Target.isClass,
          !counted.insert(ObjectIdentifier(target as AnyObject)).inserted
        {
          continue
        }
        add(target)
      }
    }
  }
}

/// The targets of a link of an object; nil stands for a target that is taken out.
private func elements<End: RelationshipEnd>(
  of end: End, in model: End.Model
) -> [LinkElement<End.Target>?] {
  if let elements = end.change(of: model) { return elements }
  return (end.steps(of: model) ?? []).map { step in
    switch step {
    case .append(let element, _), .insert(let element, _): element
    case .remove: nil
    }
  }
}

extension Store {
  /// The number of rows that a save of objects writes at most, counted no further than it matters
  /// for sharing a commit.
  func rows<Model: Persistable>(of models: [Model]) -> Int {
    if Model.entity.relationships.isEmpty { return models.count }
    var size = GraphSize(limit: sharedRowLimit)
    for model in models where sharesCommit(rows: size.rows) { size.add(model) }
    return size.rows
  }
}
