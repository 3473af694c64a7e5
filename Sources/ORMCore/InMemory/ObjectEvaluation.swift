internal import ORMStorage

/// One object that a condition is asked of, with the identity that it has while it is asked.
struct ObjectInScope {
  let object: any Persistable
  /// The identity of the object; nil where it is not known, since a program may set two that share a key.
  let identity: ObjectIdentity?
}

/// The identity of an object while a condition is asked.
enum ObjectIdentity: Hashable {
  /// The object that the condition is asked of.
  case asked
  /// An object of a fetch, of which there is one for each model and key.
  case fetched(graph: ObjectIdentifier, model: ObjectIdentifier, GroupKey)
}

/// The state of a condition's evaluation for one object: nothing is worked out twice for the same
/// objects, though several paths may lead to them.
final class ObjectEvaluation {
  private var bound: [ObjectIdentifier: BoundCondition] = [:]
  private var answers: [Question: StoredValue] = [:]

  private struct Question: Hashable {
    let condition: ObjectIdentifier
    let objects: [ObjectIdentity]
  }

  /// Forgets the answers that were worked out for an object, before the next one is asked about.
  func beginObject() { answers.removeAll(keepingCapacity: true) }

  /// Returns the condition bound for this evaluation; calls `bind` the first time.
  func bound(
    _ condition: ObjectCondition, _ bind: () throws -> BoundCondition
  ) rethrows -> BoundCondition {
    if let known = bound[ObjectIdentifier(condition)] { return known }
    let new = try bind()
    bound[ObjectIdentifier(condition)] = new
    return new
  }

  /// The answer of a condition on elements, worked out once for the objects that it depends on.
  func answer(
    _ condition: ObjectCondition, of scopes: [Int], _ objects: ObjectPlan.Objects,
    _ work: () throws -> StoredValue
  ) rethrows -> StoredValue {
    var identities: [ObjectIdentity] = []
    for scope in scopes {
      guard let identity = objects[scope]?.identity else { return try work() }
      identities.append(identity)
    }
    let question = Question(condition: ObjectIdentifier(condition), objects: identities)
    if let known = answers[question] { return known }
    let answer = try work()
    answers[question] = answer
    return answer
  }
}
