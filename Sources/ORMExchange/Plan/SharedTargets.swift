internal import ORM

/// The mappings of the targets of a mapping that declare none, by their models.
///
/// Targets that lead back to their owners share them, so that they are worked out once.
final class SharedTargets: Sendable {
  /// The mappings of models that declare none, with names as they are.
  static let standard = SharedTargets()

  private let known = Lock<[ObjectIdentifier: any Sendable]>([:])

  /// The mapping of a target, with the names of the mapping that leads to it.
  func mapping<Target: Persistable>(
    of target: Target.Type, _ names: NamingStrategy
  ) -> JSONMapping<Target> {
    known.withLock { known in
      if let mapping = known[ObjectIdentifier(target)] as? JSONMapping<Target> { return mapping }
      let mapping = JSONMapping(target, names: names)
      known[ObjectIdentifier(target)] = mapping
      return mapping
    }
  }
}
