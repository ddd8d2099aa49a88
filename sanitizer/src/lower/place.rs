//! Lowers pointers to places in registers or resources, and the accesses through them.

use naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, ScalarKind, StructMember, Type, TypeInner,
};

use super::{Frame, Lowering, Value};
use crate::Error;
use crate::code::{AtomicOp, Extent, Op, Reg, Word};

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    root: Root,
    /// Register that holds the offset from the root: in registers or in bytes, as the root has it.
    offset: Option<Reg>,
    /// Further constant offset, in the same unit.
    plus: u32,
    ty: Pointee,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    /// Consecutive variables.
    Registers {
        first: Reg,
        count: u32,
    },
    Resource(u32),
}

/// The type of the value at a place.
#[derive(Clone, Copy, Debug)]
enum Pointee {
    Type(Handle<Type>),
    /// A component of a vector.
    Scalar,
}

impl Place {
    /// The first register of a place in registers.
    pub(super) fn first(&self) -> Reg {
        match self.root {
            Root::Registers { first, .. } => first + self.plus,
            Root::Resource(_) => unreachable!("a resource has no registers"),
        }
    }
}

impl<'a> Lowering<'a> {
    fn scalar(&self, scalar: naga::Scalar) -> Result<(), Error> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) | (ScalarKind::Uint | ScalarKind::Sint | ScalarKind::Float, 4) => Ok(()),
            (kind, width) => self.unsupported(format!("{kind:?} of {} bits", 8 * width)),
        }
    }

    /// Number of scalars in a value of a type.
    pub(super) fn count(&self, inner: &TypeInner) -> Result<u32, Error> {
        Ok(match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                self.scalar(scalar)?;
                1
            }
            TypeInner::Vector { size, scalar } => {
                self.scalar(scalar)?;
                size as u32
            }
            TypeInner::Array { base, size: ArraySize::Constant(size), .. } => {
                size.get() * self.count(&self.module.types[base].inner)?
            }
            TypeInner::Struct { ref members, .. } => self.count_of_members(members)?,
            ref other => return self.unsupported(format!("{other:?}")),
        })
    }

    /// Number of scalars in members of a struct.
    pub(super) fn count_of_members(&self, members: &[StructMember]) -> Result<u32, Error> {
        members.iter().map(|member| self.count(&self.module.types[member.ty].inner)).sum()
    }

    /// Appends the byte offset of each scalar of a type in memory.
    fn bytes(&self, inner: &TypeInner, from: u32, bytes: &mut Vec<u32>) -> Result<(), Error> {
        match *inner {
            TypeInner::Scalar(_) | TypeInner::Atomic(_) => bytes.push(from),
            TypeInner::Vector { size, .. } => bytes.extend((0..size as u32).map(|i| from + 4 * i)),
            TypeInner::Array { base, size: ArraySize::Constant(size), stride } => {
                for i in 0..size.get() {
                    self.bytes(&self.module.types[base].inner, from + i * stride, bytes)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.bytes(&self.module.types[member.ty].inner, from + member.offset, bytes)?;
                }
            }
            ref other => return self.unsupported(format!("{other:?}")),
        }
        Ok(())
    }

    /// A new variable of a type.
    pub(super) fn variable(&mut self, ty: Handle<Type>) -> Result<Place, Error> {
        let count = self.count(&self.module.types[ty].inner)?;
        let first = self.registers.variables(count);
        let root = Root::Registers { first, count };
        Ok(Place { root, offset: None, plus: 0, ty: Pointee::Type(ty) })
    }

    pub(super) fn zeros(&mut self, ty: Handle<Type>) -> Result<Vec<Reg>, Error> {
        let count = self.count(&self.module.types[ty].inner)?;
        Ok(vec![self.registers.constant(0); count as usize])
    }

    /// The place of a variable of the module.
    pub(super) fn global(&mut self, handle: Handle<GlobalVariable>) -> Result<Place, Error> {
        if let Some(place) = self.globals.get(&handle) {
            return Ok(*place);
        }
        let global = &self.module.global_variables[handle];
        let place = match (global.space, &global.binding) {
            (AddressSpace::Storage { .. } | AddressSpace::Uniform, Some(binding)) => {
                let root = Root::Resource(self.registers.resource(binding.group, binding.binding));
                Place { root, offset: None, plus: 0, ty: Pointee::Type(global.ty) }
            }
            (AddressSpace::Private, _) => self.variable(global.ty)?,
            (space, _) => return self.unsupported(format!("memory of {space:?}")),
        };
        self.globals.insert(handle, place);
        Ok(place)
    }

    /// Assigns the initial values of private variables.
    pub(super) fn private_variables(&mut self) -> Result<(), Error> {
        for (handle, global) in self.module.global_variables.iter() {
            if global.space == AddressSpace::Private {
                let place = self.global(handle)?;
                let initial = match global.init {
                    Some(init) => self.constant_expression(init)?,
                    None => self.zeros(global.ty)?,
                };
                self.registers.assign_all(place.first(), &initial);
            }
        }
        Ok(())
    }

    pub(super) fn place_of(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<Expression>,
    ) -> Result<Place, Error> {
        match self.value(frame, pointer)? {
            Value::Place(place) => Ok(place),
            Value::Registers(_) => self.unsupported("a pointer that is none"),
        }
    }

    /// The place of the `index`-th part of the value at `place`.
    pub(super) fn part(&mut self, place: Place, index: u32) -> Result<Place, Error> {
        let Pointee::Type(ty) = place.ty else { return self.unsupported("a part of a scalar") };
        let in_registers = matches!(place.root, Root::Registers { .. });
        let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else {
            let index = self.registers.constant(index);
            return self.element(place, index);
        };
        let member = &members[index as usize];
        let further =
            if in_registers { self.count_of_members(&members[..index as usize])? } else { member.offset };
        Ok(Place { plus: place.plus + further, ty: Pointee::Type(member.ty), ..place })
    }

    /// The place of an element of an array or a vector, whose index a register holds.
    pub(super) fn element(&mut self, place: Place, index: Reg) -> Result<Place, Error> {
        let Pointee::Type(ty) = place.ty else { return self.unsupported("an element of a scalar") };
        let (element, extent, bytes) = match self.module.types[ty].inner {
            TypeInner::Vector { size, .. } => (Pointee::Scalar, Some(size as u32), 4),
            TypeInner::Array { base, size, stride } => match size {
                ArraySize::Constant(size) => (Pointee::Type(base), Some(size.get()), stride),
                _ => (Pointee::Type(base), None, stride),
            },
            ref other => return self.unsupported(format!("an index into {other:?}")),
        };
        let registers = match element {
            Pointee::Type(ty) => self.count(&self.module.types[ty].inner)?,
            Pointee::Scalar => 1,
        };
        let stride = if matches!(place.root, Root::Registers { .. }) { registers } else { bytes };
        if let (Some(known), Some(extent)) = (self.registers.known(index), extent)
            && known < extent
        {
            return Ok(Place { plus: place.plus + known * stride, ty: element, ..place });
        }
        let extent = match (extent, place.root) {
            (Some(extent), _) => Extent::Fixed(extent),
            (None, Root::Resource(resource)) => Extent::Runtime { resource, from: place.plus, stride },
            (None, Root::Registers { .. }) => return self.unsupported("a variable of unknown size"),
        };
        let to = self.registers.register();
        self.registers.emit(Op::Address { to, base: place.offset, index, stride, extent });
        if let Root::Registers { first, count } = place.root {
            self.registers.array(first, count);
        }
        Ok(Place { offset: Some(to), ty: element, ..place })
    }

    /// Number of elements of the array at a place.
    pub(super) fn length(&mut self, place: Place) -> Result<Reg, Error> {
        let Pointee::Type(ty) = place.ty else { return self.unsupported("the length of a scalar") };
        match (&self.module.types[ty].inner, place.root) {
            (TypeInner::Array { stride, .. }, Root::Resource(resource)) => {
                let to = self.registers.register();
                let extent = Extent::Runtime { resource, from: place.plus, stride: *stride };
                self.registers.emit(Op::Length { to, extent });
                Ok(to)
            }
            other => self.unsupported(format!("the length of {other:?}")),
        }
    }

    /// The words of the value at a place, and whether they are atomic.
    fn words(&self, place: Place, resource: u32) -> Result<(Vec<Word>, bool), Error> {
        let word = |plus| Word { resource, address: place.offset, plus };
        match place.ty {
            Pointee::Scalar => Ok((vec![word(place.plus)], false)),
            Pointee::Type(ty) => {
                let inner = &self.module.types[ty].inner;
                let mut bytes = Vec::new();
                self.bytes(inner, place.plus, &mut bytes)?;
                Ok((bytes.into_iter().map(word).collect(), matches!(inner, TypeInner::Atomic(_))))
            }
        }
    }

    fn count_at(&self, place: Place) -> Result<u32, Error> {
        match place.ty {
            Pointee::Type(ty) => self.count(&self.module.types[ty].inner),
            Pointee::Scalar => Ok(1),
        }
    }

    pub(super) fn load(&mut self, place: Place) -> Result<Vec<Reg>, Error> {
        let count = self.count_at(place)?;
        match place.root {
            Root::Registers { first, .. } => {
                let first = first + place.plus;
                let each = first..first + count;
                Ok(match place.offset {
                    None => each.map(|variable| self.registers.read(variable)).collect(),
                    Some(offset) => self.registers.read_at(each, offset),
                })
            }
            Root::Resource(resource) => {
                let (words, atomically) = self.words(place, resource)?;
                let mut load = |word| {
                    let to = self.registers.register();
                    self.registers.emit(Op::Load { to, word, atomically });
                    to
                };
                Ok(words.into_iter().map(&mut load).collect())
            }
        }
    }

    pub(super) fn store(&mut self, place: Place, values: &[Reg]) -> Result<(), Error> {
        match place.root {
            Root::Registers { first, count } => match place.offset {
                None => self.registers.assign_all(first + place.plus, values),
                Some(offset) => {
                    for (first, &from) in (first + place.plus..).zip(values) {
                        self.registers.emit(Op::WriteRegister { first, offset, from });
                    }
                    self.registers.forget_some(first, count);
                }
            },
            Root::Resource(resource) => {
                let (words, atomically) = self.words(place, resource)?;
                for (word, &from) in words.into_iter().zip(values) {
                    self.registers.emit(Op::Store { word, from, atomically });
                }
            }
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<Expression>,
        fun: naga::AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<(), Error> {
        use naga::AtomicFunction as F;
        let from = self.register_of(frame, value)?;
        let signed = self.kind(frame, value) == Some(ScalarKind::Sint);
        let place = self.place_of(frame, pointer)?;
        let Root::Resource(resource) = place.root else { return self.unsupported("an atomic variable") };
        let word = Word { resource, address: place.offset, plus: place.plus };
        let to = self.registers.register();
        let op = match fun {
            F::Add => AtomicOp::Add,
            F::Subtract => AtomicOp::Subtract,
            F::And => AtomicOp::And,
            F::InclusiveOr => AtomicOp::Or,
            F::ExclusiveOr => AtomicOp::Xor,
            F::Min if signed => AtomicOp::MinI,
            F::Min => AtomicOp::MinU,
            F::Max if signed => AtomicOp::MaxI,
            F::Max => AtomicOp::MaxU,
            F::Exchange { compare: None } => AtomicOp::Exchange,
            F::Exchange { compare: Some(compare) } => {
                let compare = self.register_of(frame, compare)?;
                let exchanged = self.registers.register();
                self.registers.emit(Op::CompareExchange { to, exchanged, word, compare, from });
                if let Some(result) = result {
                    frame.values[result.index()] = Some(Value::Registers(vec![to, exchanged]));
                }
                return Ok(());
            }
        };
        self.registers.emit(Op::Atomic { op, to, word, from });
        if let Some(result) = result {
            frame.values[result.index()] = Some(Value::Registers(vec![to]));
        }
        Ok(())
    }
}
